func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = neg %y
  %d = add %x, %n
  %r = relu %d
  return %r
}
