// The first region of `while` runs at least once, the second one may not run.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// CHECK: %g = index_select %w, %i
// CHECK-NEXT: %k = exp %w
// CHECK-NEXT: while
// CHECK: condition
// CHECK: %d = index_select %w, %j
func @f(%w: tensor<4xf32>, %i: tensor<4xi64>, %j: tensor<4xi64>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = while (%c = %a) {
    %g = index_select %w, %i {dim = 0}
    %less = lt %c, %g
    %go = all %less
    condition %go, %c
  } do (%c: tensor<4xf32>) {
    %k = exp %w
    %d = index_select %w, %j {dim = 0}
    %s = add %c, %k
    %t = add %s, %d
    yield %t
  }
  return %r
}
