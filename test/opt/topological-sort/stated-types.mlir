// What the text states of types is checked as in text that is in order.
// RUN: mlgc opt %s --topological-sort --split-input-file --verify-diagnostics
func @pretty(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{the result of `add` is tensor<4xf32>, the text says tensor<5xf32>}}
  // expected-note@+1 {{leave the type out, or add a `where` constraint under which both are equal}}
  %a = add %b, %x : tensor<5xf32>
  %b = relu %x
  return %b
}
// -----
"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "generic"}> ({
^bb0(%x: tensor<4xf32>):
  // expected-error@+1 {{operand 0 is tensor<4xf32>, the text says tensor<5xf32>}}
  %a = "mlgc.neg"(%b) : (tensor<5xf32>) -> tensor<5xf32>
  %b = "mlgc.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%b) : (tensor<4xf32>) -> ()
}) : () -> ()
// -----
func @results(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{op `topk` has 2 results, 1 are named}}
  %a = topk %b {k = 4}
  %b = relu %x
  return %b
}
// -----
func @returned(%x: tensor<4xf32>) -> tensor<5xf32> { // expected-note {{the signature is here}}
  %a = add %b, %x
  %b = relu %x
  return %a // expected-error {{returned value 0 is tensor<4xf32>, the signature says tensor<5xf32>}}
}
