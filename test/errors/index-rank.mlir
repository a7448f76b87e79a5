// An operand without the axes that nothing else tells the size of is named, at the op.
// RUN: mlgc opt %s --split-input-file --verify-diagnostics
func @f(%x: tensor<4x4xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  // expected-error@+1 {{operand `index` has rank 1, expected 2}}
  %0 = gather %x, %i {dim = 0}
  return %0
}
// -----
func @f(%x: tensor<4x4xf32>, %i: tensor<3xi64>) -> tensor<4x4xf32> {
  // expected-error@+1 {{operand `index` has rank 1, expected 2}}
  %0 = scatter %x, %i {dim = 0, value = 1.0}
  return %0
}
