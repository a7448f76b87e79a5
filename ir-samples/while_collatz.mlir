// Integer control flow: how many steps the Collatz sequence takes to 1, an `if` inside of a `while`.
// eval: --input=n=27
func @collatz(%n: tensor<i64>) -> tensor<i64> {
  %zero = constant {value = dense<0> : tensor<i64>}
  %last, %steps = while (%v = %n, %s = %zero) {
    %more = gt %v {other = 1}
    condition %more, %v, %s
  } do (%v: tensor<i64>, %s: tensor<i64>) {
    %rest = remainder %v {other = 2}
    %even = eq %rest {other = 0}
    %next = if %even {
      %half = floor_divide %v {other = 2}
      yield %half
    } else {
      %triple = mul %v {other = 3}
      %odd = add %triple {other = 1}
      yield %odd
    }
    %count = add %s {other = 1}
    yield %next, %count
  }
  return %steps
}
