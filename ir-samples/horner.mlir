// A polynomial by Horner's rule: a scan over its coefficients, from the last to the first.
// eval: --input=x=3xf32=0,1,2 --input=coefficients=3xf32=1,2,3
func @polynomial(%x: tensor<[N]xf32>, %coefficients: tensor<[D]xf32>) -> tensor<[N]xf32> {
  %zero = mul %x {other = 0.0}
  %y = scan %zero, %coefficients (%sum: tensor<[N]xf32>, %c: tensor<f32>) attributes {carried = 1, reverse = true} {
    %product = mul %sum, %x
    %next = add %product, %c
    yield %next
  }
  return %y
}
