// Orders: the values and where they stood.
// eval: --input=x=6xf32=3,1,2,5,4,0
func @order(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xi64>, tensor<2xf32>, tensor<2xi64>) {
  %sorted, %from = sort %x
  %best, %at = topk %x {k = 2}
  return %sorted, %from, %best, %at
}
