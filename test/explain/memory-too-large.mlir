// Sizes whose temporaries have no number of bytes.
// RUN: %exits 2 mlgc explain memory %s -O0 --dim=B=4611686018427387904 2>&1 | FileCheck %s
// CHECK: mlgc: error: memory cannot be planned: a buffer has no size in 64 bits for these sizes
// CHECK-NEXT: mlgc: note: give each size that is a symbol a value: --dim=B=64
func @f(%x: tensor<[B]x2xf32>, %w: tensor<2x2xf32>) -> tensor<[B]x2xf32> {
  %a = matmul %x, %w : tensor<[B]x2xf32>
  %b = matmul %a, %w : tensor<[B]x2xf32>
  return %b
}
