// The same under other names.
func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = neg %b
  %1 = add %a, %0
  %2 = relu %1
  return %2
}
