// A composite and the same from primitives: both are kept as text, and both give the same numbers.
// eval: --dim=N=5 --random-inputs=1
func @gelu(%x: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xf32>) {
  %whole = gelu %x
  %scaled = mul %x {other = 0.7071067811865476}
  %erf = erf %scaled
  %shifted = add %erf {other = 1.0}
  %half = mul %x {other = 0.5}
  %parts = mul %half, %shifted
  return %whole, %parts
}
