// The textbook expression graph z = (x + y) * sin(x): x is used twice, so the graph is no tree.
// eval: --input=x=0.5 --input=y=2
func @z(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %sum = add %x, %y
  %sine = sin %x
  %z = mul %sum, %sine
  return %z
}
