// A multi-layer perceptron forward and backward, with a loss: what `mlgc grad mlp.mlir --loss=cross_entropy` prints.
// Products with weights go back as products with their transposes; biases, which are broadcast, get sums over the batch.
// eval: --dim=B=3 --random-inputs=1 --random-weights=1
module @mlp weights "mlp.safetensors" {
  weight @fc0.weight : tensor<16x8xf32>
  weight @fc0.bias : tensor<16xf32>
  weight @fc1.weight : tensor<4x16xf32>
  weight @fc1.bias : tensor<4xf32>
  func @forward_grad(%x: tensor<[B]x8xf32>, %target: tensor<[B]xi64>) -> (tensor<f32>, tensor<[B]x4xf32>, tensor<[B]x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>) where 1 <= B <= 256 attributes {result_names = ["loss", "logits", "d_x", "d_fc0.weight", "d_fc0.bias", "d_fc1.weight", "d_fc1.bias"]} {
    %b1 = read @fc1.bias : tensor<4xf32>
    %w1 = read @fc1.weight : tensor<4x16xf32>
    %b0 = read @fc0.bias : tensor<16xf32>
    %w0 = read @fc0.weight : tensor<16x8xf32>
    %0 = linear %x, %w0, %b0 : tensor<[B]x16xf32>
    %h = relu %0 : tensor<[B]x16xf32>
    %logits = linear %h, %w1, %b1 : tensor<[B]x4xf32>
    %loss = cross_entropy %logits, %target : tensor<f32>
    %1 = constant {value = dense<1.0> : tensor<f32>} : tensor<f32>
    %2 = compute %logits {formula = "y[n] = stop(max[c](x0[n, c])) over n < [B], c < 4"} : tensor<[B]xf32>
    %3 = compute %target, %1 {formula = "y[n5, j] = select(not x0[n5] == -100 and x0[n5] - j == 0, -(x1[] / sum[n7](select(x0[n7] == -100, 0.0, 1.0))), 0.0) over n5 < [B], j < 4, n7 < [B]"} : tensor<[B]x4xf32>
    %4 = compute %3 {formula = "y[n8] = sum[c3](-x0[n8, c3]) over n8 < [B], c3 < 4"} : tensor<[B]xf32>
    %5 = compute %3, %4, %logits, %2 {formula = "y[n13, c8] = x0[n13, c8] + x1[n13] / sum[c11](exp(x2[n13, c11] - x3[n13]))*exp(x2[n13, c8] - x3[n13]) over n13 < [B], c8 < 4, c11 < 4"} : tensor<[B]x4xf32>
    %6 = matmul %5, %w1 : tensor<[B]x16xf32>
    %d_fc1.weight = einsum %5, %h {equation = "ab,ac->bc"} : tensor<4x16xf32>
    %d_fc1.bias = sum %5 {dim = [0]} : tensor<4xf32>
    %7 = compute %0, %6 {formula = "y[b2, b3] = select(not x0[b2, b3] <= 0.0, x1[b2, b3], 0.0) over b2 < [B], b3 < 16"} : tensor<[B]x16xf32>
    %d_x = matmul %7, %w0 : tensor<[B]x8xf32>
    %d_fc0.weight = einsum %7, %x {equation = "ab,ac->bc"} : tensor<16x8xf32>
    %d_fc0.bias = sum %7 {dim = [0]} : tensor<16xf32>
    return %loss, %logits, %d_x, %d_fc0.weight, %d_fc0.bias, %d_fc1.weight, %d_fc1.bias
  }
}
