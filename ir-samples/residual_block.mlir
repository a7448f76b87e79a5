// A residual block: two convolutions with batch norms, and the input added before the last activation.
// eval: --dim=B=2 --dim=H=5 --dim=W=6 --random-inputs=1 --random-weights=1
module @residual weights "residual.safetensors" {
  weight @conv1.weight : tensor<3x3x3x3xf32>
  weight @bn1.mean : tensor<3xf32>
  weight @bn1.var : tensor<3xf32>
  weight @bn1.weight : tensor<3xf32>
  weight @bn1.bias : tensor<3xf32>
  weight @conv2.weight : tensor<3x3x3x3xf32>
  func @forward(%x: tensor<[B]x3x[H]x[W]xf32>) -> tensor<[B]x3x[H]x[W]xf32> where 1 <= H, 1 <= W {
    %w1 = read @conv1.weight
    %0 = conv2d %x, %w1 {padding = [1, 1]}
    %mean = read @bn1.mean
    %var = read @bn1.var
    %gamma = read @bn1.weight
    %beta = read @bn1.bias
    %1 = batch_norm %0, %mean, %var, %gamma, %beta
    %2 = relu %1
    %w2 = read @conv2.weight
    %3 = conv2d %2, %w2 {padding = [1, 1]}
    %4 = add %3, %x
    %y = relu %4
    return %y
  }
}
