// Constraints that no sizes satisfy are an error where they stand.
// RUN: mlgc opt %s --split-input-file --verify-diagnostics
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where 5 <= B <= 2`}}
func @bounds(%x: tensor<[B]xf32>) where 5 <= B <= 2 {
  return
}
// -----
// expected-error@+1 {{no sizes satisfy `where B == 3, B <= 2`}}
func @equal(%x: tensor<[B]xf32>) where B == 3, B <= 2 {
  return
}
// -----
// expected-error@+1 {{no sizes satisfy `where 2 <= B <= 2, B != 2`}}
func @only(%x: tensor<[B]xf32>) where 2 <= B <= 2, B != 2 {
  return
}
// -----
func @possible(%x: tensor<[B]x[C]xf32>) where 2 <= B <= 2, B != 3, C == 2*B {
  return
}
