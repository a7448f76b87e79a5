// A size that depends on data is a new name, which the text gives.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: tensor<4xf32>) -> tensor<[u]x1xi64> {
  // expected-error@+1 [data-size] {{the type of `nonzero` must be stated as tensor<[u]x1xi64>, with a name of its own for the size; it is not stated}}
  %p = nonzero %x
  return %p
}
// -----
func @f(%x: tensor<4xf32>) -> tensor<4x1xi64> {
  // expected-error@+1 [data-size] {{the type of `nonzero` must be stated as tensor<[u]x1xi64>, with a name of its own for the size; it is (tensor<4x1xi64>)}}
  %p = nonzero %x : tensor<4x1xi64>
  return %p
}
// -----
func @f(%x: tensor<[B]xf32>) -> tensor<[B]x1xi64> {
  // expected-error@+1 [size-twice] {{the size `B` is there already; `nonzero` needs a name of its own}}
  %p = nonzero %x : tensor<[B]x1xi64>
  return %p
}
// -----
func @f(%x: tensor<[B]xf32>) -> (tensor<[u]x1xi64>, tensor<[u]x1xi64>) {
  %p = nonzero %x : tensor<[u]x1xi64>
  // expected-error@+1 [size-twice] {{the size `u` is there already; `nonzero` needs a name of its own}}
  %q = nonzero %x : tensor<[u]x1xi64>
  return %p, %q
}
// -----
func @positions(%x: tensor<[B]xf32>) -> tensor<[u]x1xi64> {
  %p = nonzero %x : tensor<[u]x1xi64>
  return %p
}
func @f(%x: tensor<[B]xf32>) -> tensor<[u]x1xi64> {
  // expected-error@+1 [call-result-size] {{a result of `@positions` has the size `u`, which its arguments do not determine}}
  %p = call @positions, %x
  return %p
}
// -----
func @f(%n: tensor<i64>) -> tensor<4xi64> {
  // expected-error@+1 [data-size] {{the type of `range` must be stated as tensor<[u]xi64>, with a name of its own for the size; it is (tensor<4xi64>)}}
  %p = range %n : tensor<4xi64>
  return %p
}
// -----
func @f(%n: tensor<1xi64>) -> tensor<[u]xi64> {
  // expected-error@+1 [operand-class] {{operand `end` of `range` is tensor<1xi64>, expected a tensor of rank 0}}
  %p = range %n : tensor<[u]xi64>
  return %p
}
