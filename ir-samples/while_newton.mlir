// A loop whose end depends on the data: Newton's method for the square root, with the number of steps.
// eval: --input=a=2
func @sqrt(%a: tensor<f64>) -> (tensor<f64>, tensor<i64>) {
  %zero = constant {value = dense<0> : tensor<i64>}
  %root, %steps = while (%r = %a, %n = %zero) {
    %square = mul %r, %r
    %error = sub %square, %a
    %size = abs %error
    %more = gt %size {other = 1.0e-12}
    condition %more, %r, %n
  } do (%r: tensor<f64>, %n: tensor<i64>) {
    %quotient = div %a, %r
    %sum = add %r, %quotient
    %next = mul %sum {other = 0.5}
    %count = add %n {other = 1}
    yield %next, %count
  }
  return %root, %steps
}
