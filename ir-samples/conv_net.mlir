// A small convolutional network: convolution, activation, pooling, and a head whose input size follows from H and W.
// eval: --dim=B=2 --random-inputs=1 --random-weights=1
module @cnn weights "cnn.safetensors" {
  weight @conv.weight : tensor<4x1x3x3xf32>
  weight @conv.bias : tensor<4xf32>
  weight @head.weight : tensor<10x64xf32>
  weight @head.bias : tensor<10xf32>
  func @forward(%image: tensor<[B]x1x8x8xf32>) -> tensor<[B]x10xf32> {
    %w = read @conv.weight
    %b = read @conv.bias
    %0 = conv2d %image, %w, %b {padding = [1, 1]}
    %1 = relu %0
    %pooled, %where = max_pool2d %1 {kernel_size = [2, 2]}
    %flat = view %pooled {shape = [B, 64]}
    %hw = read @head.weight
    %hb = read @head.bias
    %logits = linear %flat, %hw, %hb
    return %logits
  }
}
