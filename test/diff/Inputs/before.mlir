module weights "old.safetensors" {
  weight @w : tensor<8x8xf32>
  weight @gone : tensor<8xf32>
  state @calls : tensor<i64>
  func @forward(%x: tensor<[B]x8xf32>, %unused: tensor<f32>) -> tensor<[B]x8xf32> where 1 <= B <= 64 {
    %w = read @w
    %0 = matmul %x, %w
    %1 = relu %0
    %2 = neg %1
    %p = softmax %2 {dim = 1}
    %q = exp %x
    %t = tanh %x
    %3 = add %p, %q
    %y = mul %3, %t
    return %y
  }
  func @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relu %x
    return %y
  }
  func @old(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = exp %x
    return %y
  }
}
