// The same as one composite op, which a back end may compute without storing the scores; here with a causal mask.
// eval: --dim=B=2 --dim=S=5 --random-inputs=1
func @attention(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[S]x4xf32>, %v: tensor<[B]x2x[S]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %y = scaled_dot_product_attention %q, %k, %v {is_causal = true}
  return %y
}
