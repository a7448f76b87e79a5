// A chain of layers that do not work in place goes to and fro between two pieces of memory, whose bytes are those that
// were read last and are no longer needed; layers with residuals and activations between them lie in one, beside the
// result.
// RUN: mlgc explain memory %s | FileCheck %s
// CHECK: @chain: 2048 bytes for 5 temporaries
// CHECK: a: 1024 bytes at 0, steps
// CHECK-NEXT: b: 1024 bytes at 1024, steps
// CHECK-NEXT: c: 1024 bytes at 0, steps
// CHECK-NEXT: d: 1024 bytes at 1024, steps
// CHECK-NEXT: e: 1024 bytes at 0, steps
// CHECK: @residual: 1024 bytes for 2 temporaries
weight @w : tensor<16x16xf32>
func @chain(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %w = read @w
  %a = matmul %x, %w
  %b = matmul %a, %w
  %c = matmul %b, %w
  %d = matmul %c, %w
  %e = matmul %d, %w
  %f = matmul %e, %w
  return %f
}
func @residual(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %w = read @w
  %a = matmul %x, %w
  %b = gelu %a
  %c = matmul %b, %w
  %d = add %x, %c
  %e = matmul %d, %w
  %f = gelu %e
  %g = matmul %f, %w
  %y = add %d, %g
  return %y
}
