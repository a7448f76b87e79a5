// Integers wrap; division rounds down or towards zero, as its name says.
// eval: --input=a=4xi32=7,-7,2147483647,10 --input=b=4xi32=2,2,1,-3
func @integers(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %sum = add %a, %b
  %floor = floor_divide %a, %b
  %trunc = trunc_divide %a, %b
  %rest = remainder %a, %b
  %bits = bitwise_xor %a, %b
  return %sum, %floor, %trunc, %rest, %bits
}
