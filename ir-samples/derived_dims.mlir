// Sizes that follow from others: twice, a product; the types carry the expressions, and shapes are checked by them.
// eval: --dim=B=3 --dim=S=4 --random-inputs=1
func @shapes(%x: tensor<[B]x[S]xf32>) -> (tensor<[2*B]x[S]xf32>, tensor<[B*S]xf32>, tensor<[S]x[B]xf32>) where 1 <= B, 1 <= S {
  %doubled = cat %x, %x {dim = 0}
  %flat = view %x {shape = [B*S]}
  %turned = permute %x {dims = [1, 0]}
  return %doubled, %flat, %turned
}
