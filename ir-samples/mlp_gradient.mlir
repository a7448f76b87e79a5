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
    %3 = compute %logits, %2 {formula = "y[n1] = sum[c1](exp(x0[n1, c1] - x1[n1])) over n1 < [B], c1 < 4"} : tensor<[B]xf32>
    %4 = compute %target {formula = "y[] = sum[n2](select(x0[n2] == -100, 0.0, 1.0)) over n2 < [B]"} : tensor<f32>
    %5 = compute %target, %1, %4 {formula = "y[n3] = select(x0[n3] == -100, 0.0, x1[] / x2[]) over n3 < [B]"} : tensor<[B]xf32>
    %6 = compute %logits, %2, %3, %target, %5 {formula = "y[n4, c2] = (exp(x0[n4, c2] - x1[n4]) / x2[n4] - select(x3[n4] == c2, 1.0, 0.0))*x4[n4] over n4 < [B], c2 < 4"} : tensor<[B]x4xf32>
    %7 = matmul %6, %w1 : tensor<[B]x16xf32>
    %d_fc1.weight = einsum %6, %h {equation = "ab,ac->bc"} : tensor<4x16xf32>
    %d_fc1.bias = sum %6 {dim = [0]} : tensor<4xf32>
    %8 = compute %0, %7 {formula = "y[b2, b3] = select(not x0[b2, b3] <= 0.0, x1[b2, b3], 0.0) over b2 < [B], b3 < 16"} : tensor<[B]x16xf32>
    %d_x = matmul %8, %w0 : tensor<[B]x8xf32>
    %d_fc0.weight = einsum %8, %x {equation = "ab,ac->bc"} : tensor<16x8xf32>
    %d_fc0.bias = sum %8 {dim = [0]} : tensor<16xf32>
    return %loss, %logits, %d_x, %d_fc0.weight, %d_fc0.bias, %d_fc1.weight, %d_fc1.bias
  }
}
