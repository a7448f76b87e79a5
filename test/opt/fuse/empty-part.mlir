// A `cat` that moves nothing of a part is no view of the other one: it would have to wait for the first.
// RUN: mlgc opt %s --fuse | FileCheck %s
// CHECK: [[PAST:%.*]] = fusion
// CHECK: cat {{.*}} : tensor<3x4xf32>
// CHECK-NEXT: exp
func @f(%past: tensor<0x4xf32>, %new: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %b = relu %past
  %s = cat %b, %new {dim = 0}
  %u = exp %s
  return %u
}
