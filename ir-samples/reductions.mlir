// Sums, means, extrema and their positions, over one axis or all.
// eval: --dim=B=3 --random-inputs=1
func @reduce(%x: tensor<[B]x5xf32>) -> (tensor<[B]xf32>, tensor<1x5xf32>, tensor<[B]xf32>, tensor<[B]xi64>, tensor<f32>) where 1 <= B {
  %sum = sum %x {dim = [1]}
  %mean = mean %x {dim = [0], keepdim = true}
  %largest, %where = max_dim %x {dim = 1}
  %norm = linalg_vector_norm %x
  return %sum, %mean, %largest, %where, %norm
}
