// Random numbers are a function of a key: the same key gives the same numbers, so nothing hides a generator.
// eval: --input=key=2xi64=7,0 --dim=B=2 --random-inputs=1
func @noise(%x: tensor<[B]x4xf32>, %key: tensor<2xi64>) -> (tensor<[B]x4xf32>, tensor<[B]x4xi1>, tensor<4xf32>) {
  %y, %kept = dropout %x, %key {p = 0.5}
  %one = constant {value = dense<[0, 1]> : tensor<2xi64>}
  %next = add %key, %one
  %u = uniform %next {size = [4]}
  return %y, %kept, %u
}
