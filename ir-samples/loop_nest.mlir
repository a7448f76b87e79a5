// The loop level: nests over buffers, as text that can be edited. y = a + b, with b broadcast over rows.
// eval: --function=add --dim=B=2 --random-inputs=1
func @add(%a: buffer<[B]x3xf32, argument>, %b: buffer<3xf32, argument>, %y: buffer<[B]x3xf32, argument>) {
  for [0, B] (%i: index) {
    for [0, 3] (%j: index) {
      %0 = load %a[%i, %j] : f32
      %1 = load %b[%j] : f32
      %2 = add %0, %1
      store %2, %y[%i, %j]
    }
  }
  return
}
