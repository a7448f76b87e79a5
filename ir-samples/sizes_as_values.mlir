// Sizes can be computed with: expressions over symbols as values.
// eval: --dim=B=3 --dim=S=5 --random-inputs=1
func @token_count(%x: tensor<[B]x[S]xf32>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %tokens = dim [B*S]
  %pairs = dim [S*(S - 1) floordiv 2]
  %padded = dim [(S + 7) floordiv 8 * 8]
  return %tokens, %pairs, %padded
}
