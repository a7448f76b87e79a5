// A `for` whose index nobody reads is a scan; x^8 by three squarings has the derivative 8x^7.
// RUN: mlgc grad %s | mlgc eval - --input=x=2 | FileCheck %s
// CHECK: y: f64
// CHECK-NEXT: 256
// CHECK-NEXT: d_x: f64
// CHECK-NEXT: 1024
func @power(%x: tensor<f64>) -> tensor<f64> {
  %y = for [0, 3] (%i: index, %p = %x) {
    %square = mul %p, %p
    yield %square
  } : tensor<f64>
  return %y
}
