// A level of the program behind a level of optimisation inlines nothing again, and nothing is said.
// RUN: mlgc opt %s -O2 --to=loops -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: mlgc opt %s -O2 --to=loops --dump-pass-pipeline | FileCheck %s
// RUN: mlgc opt %s --to=loops --dump-pass-pipeline | FileCheck %s --check-prefix=ALONE
// QUIET-NOT: warning
// CHECK: inline,
// CHECK-NOT: inline
// CHECK: fuse,lower-to-loops
// ALONE: inline,fuse,lower-to-loops
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relu %x
  return %y
}
