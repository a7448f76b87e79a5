module @scale {
  weight @w : tensor<3xf32>
  weight @b : tensor<3xf32>
  func @forward(%x: tensor<3xf32>) -> tensor<3xf32> {
    %w = read @w
    %b = read @b
    %y = mul %x, %w
    %z = add %y, %b
    return %z
  }
}
