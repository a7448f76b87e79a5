// Kernels that are equal but for names are one loop function.
// RUN: mlgc opt %s --pass-pipeline='fuse{max-ops=1},lower-to-loops' | FileCheck %s
// CHECK-COUNT-2: func @f.{{[0-9]}}.
// CHECK: func @f(
// CHECK: launch @f.0.exp, %x, [[A:%.*]]
// CHECK: launch @f.0.exp, [[A]], [[B:%.*]]
// CHECK: launch @f.1.relu, [[B]], [[C:%.*]]
// CHECK: launch @f.0.exp, [[C]], %d
func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %a = exp %x
  %b = exp %a
  %c = relu %b
  %d = exp %c
  return %d
}
