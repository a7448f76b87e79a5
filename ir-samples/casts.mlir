// Operands of one op have one element type; `cast` is the only way between two.
// eval: --input=x=4xi32=1,-2,3,300 --input=h=4xf16=0.5
func @mixed(%x: tensor<4xi32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xi8>, tensor<4xi1>, tensor<4xf32>) {
  %xf = cast %x {dtype = f32}
  %hf = cast %h {dtype = f32}
  %sum = add %xf, %hf
  %byte = cast %x {dtype = i8}
  %bool = cast %x {dtype = i1}
  %brain = cast %sum {dtype = bf16}
  %rounded = cast %brain {dtype = f32}
  return %sum, %byte, %bool, %rounded
}
