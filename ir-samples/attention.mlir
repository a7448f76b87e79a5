// Scaled dot-product attention spelled out: two matrix products around a softmax over the keys.
// eval: --dim=B=2 --dim=S=5 --random-inputs=1
func @attention(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[S]x4xf32>, %v: tensor<[B]x2x[S]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = 2, dim1 = 3}
  %products = matmul %q, %kt
  %scores = mul %products {other = 0.5}
  %weights = softmax %scores {dim = [3]}
  %y = matmul %weights, %v
  return %y
}
