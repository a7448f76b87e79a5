// Booleans: a full adder on i1 tensors.
// eval: --input=a=4xi1=false,true,true,true --input=b=4xi1=false,false,true,true --input=carry=4xi1=true,false,false,true
func @full_adder(%a: tensor<[N]xi1>, %b: tensor<[N]xi1>, %carry: tensor<[N]xi1>) -> (tensor<[N]xi1>, tensor<[N]xi1>) {
  %either = logical_xor %a, %b
  %sum = logical_xor %either, %carry
  %both = logical_and %a, %b
  %passed = logical_and %either, %carry
  %out = logical_or %both, %passed
  return %sum, %out
}
