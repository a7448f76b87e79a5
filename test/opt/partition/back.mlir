// Taken apart, and with equal reads merged, the program is what it was.
// RUN: mlgc opt %s --pass-pipeline='partition{registry=%S/Inputs/accel.json},inline{segments=true},cse' | FileCheck %s
// CHECK: func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %w = read @w
// CHECK-NEXT: %a = mul %x, %w
// CHECK-NEXT: %u = exp %a
// CHECK-NEXT: %b = mul %u, %w
// CHECK-NEXT: return %b
weight @w : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = read @w
  %a = mul %x, %w
  %u = exp %a
  %b = mul %u, %w
  return %b
}
