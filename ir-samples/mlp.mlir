// A multi-layer perceptron with named weights and a dynamic batch.
// eval: --dim=B=3 --random-inputs=1 --random-weights=1
module @mlp weights "mlp.safetensors" {
  weight @fc0.weight : tensor<16x8xf32>
  weight @fc0.bias : tensor<16xf32>
  weight @fc1.weight : tensor<4x16xf32>
  weight @fc1.bias : tensor<4xf32>
  func @forward(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> where 1 <= B <= 256 {
    %w0 = read @fc0.weight
    %b0 = read @fc0.bias
    %0 = linear %x, %w0, %b0
    %h = relu %0
    %w1 = read @fc1.weight
    %b1 = read @fc1.bias
    %logits = linear %h, %w1, %b1
    return %logits
  }
}
