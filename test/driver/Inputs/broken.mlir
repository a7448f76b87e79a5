func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relo %x
  %b = sine %x
  return %x
}
