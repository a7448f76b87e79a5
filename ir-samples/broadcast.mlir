// Only a literal 1, or a missing leading size, broadcasts; a symbol never does.
// eval: --dim=B=2 --random-inputs=1
func @broadcast(%x: tensor<[B]x3x4xf32>, %row: tensor<4xf32>, %column: tensor<3x1xf32>, %one: tensor<f32>)
-> tensor<[B]x3x4xf32> {
  %0 = add %x, %row
  %1 = mul %0, %column
  %2 = sub %1, %one
  return %2
}
