// Both regions of an `if` see the values around it and yield the same types.
// eval: --input=c=true --dim=B=3 --random-inputs=1
func @choose(%c: tensor<i1>, %x: tensor<[B]xf32>, %y: tensor<[B]xf32>) -> (tensor<[B]xf32>, tensor<[B]xf32>) {
  %first, %second = if %c {
    %s = add %x, %y
    yield %s, %x
  } else {
    %d = sub %x, %y
    yield %d, %y
  }
  return %first, %second
}
