module @two {
  weight @w : tensor<3xf32>
  weight @b : tensor<1xf32>
  weight @sum : tensor<3xf32> = {
    %w = read @w
    %sum = add %w, %w
    yield %sum
  }
  func @inner(%x: tensor<3xf32>) -> tensor<3xf32> {
    %w = read @sum
    %y = add %x, %w
    return %y
  }
  func @forward(%x: tensor<3xf32>) -> tensor<3xf32> {
    %b = read @b
    %y = call %x {callee = @inner}
    %z = mul %y, %b
    return %z
  }
}
