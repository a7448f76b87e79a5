module weights "new.safetensors" {
  weight @w : tensor<8x8xf64>
  state @calls : tensor<i64>
  state @more : tensor<i64>
  func @forward(%x: tensor<[B]x8xf32>, %scale: tensor<[B]x8xf32>) -> tensor<[B]x8xf32> where 1 <= B <= 128 {
    %w64 = read @w
    %w = cast %w64 {dtype = f32}
    %t = tanh %x
    %0 = matmul %x, %w
    %1 = leaky_relu %0
    %p = softmax %1 {dim = 0}
    %q = exp %x
    %sum = add %q, %p
    %y = mul %sum, %t
    return %y
  }
  func @renamed(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relu %x
    return %y
  }
}
