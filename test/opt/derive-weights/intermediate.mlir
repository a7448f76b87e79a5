// What two derived weights need is a derived weight that both read, though no function reads it and it is large.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @w.cast : tensor<4xf64>
// CHECK: weight @w.exp : tensor<4xf32>
// CHECK-NEXT: read @w.cast
// CHECK: weight @w.sin : tensor<4xf32>
// CHECK-NEXT: read @w.cast
// CHECK: func @f
// CHECK-NEXT: read @w.exp
// CHECK-NEXT: read @w.sin
// CHECK-NEXT: return
weight @w : tensor<4xf32>
func @f() -> (tensor<4xf32>, tensor<4xf32>) {
  %w = read @w
  %c = cast %w {dtype = f64}
  %e = exp %c
  %s = sin %c
  %a = cast %e {dtype = f32}
  %b = cast %s {dtype = f32}
  return %a, %b
}
