// The first graph of the tour, by hand: z = 2*3 * (x + y) * sin(x), and an op whose result nothing reads.
// eval: --input=x=0.5 --input=y=2
func @z(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %two = constant {value = dense<2.0> : tensor<f32>}
  %three = constant {value = dense<3.0> : tensor<f32>}
  %six = mul %two, %three
  %sum = add %x, %y
  %sine = sin %x
  %unused = exp %y
  %product = mul %sum, %sine
  %z = mul %product, %six
  return %z
}
