// After the pass the function cannot be evaluated any more.
// REQUIRES: faults
// RUN: env TMPDIR=%t.dir %exits 4 mlgc-with-faults opt %s --fault-dim --verify-each=numeric 2>&1 | FileCheck %s
// CHECK: error: after pass `fault-dim` evaluating `@f` fails: reading `x` at index 1 of axis 0, which has size 1
// CHECK: note: rewrite 1, `wrong-step`, is at fault: 1 of 1 in this pass
func @f(%x: tensor<[N]xf32>) -> tensor<f32> where 1 <= N {
  %n = dim [N - 1] : tensor<i64>
  %y = index %x, %n {positions = [0]}
  return %y
}
