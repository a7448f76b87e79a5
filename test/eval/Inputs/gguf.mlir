weight @w : tensor<32xf32>
func @f(%x: tensor<2x32xf32>) -> tensor<2xf32> {
  %w = read @w
  %p = mul %x, %w
  %y = sum %p {dim = [1]}
  return %y
}
