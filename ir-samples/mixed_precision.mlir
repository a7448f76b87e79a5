// Half-precision data, single-precision arithmetic: every change of precision is an op of its own.
// eval: --dim=N=4 --random-inputs=1
func @blend(%a: tensor<[N]xf16>, %b: tensor<[N]xf16>, %t: tensor<f32>) -> (tensor<[N]xf16>, tensor<[N]xf16>) {
  %wide_a = cast %a {dtype = f32}
  %wide_b = cast %b {dtype = f32}
  %distance = sub %wide_b, %wide_a
  %part = mul %distance, %t
  %wide = add %wide_a, %part
  %blended = cast %wide {dtype = f16}
  %narrow = add %a, %b
  return %blended, %narrow
}
