// A result that the function does not have.
// RUN: %exits 2 mlgc eval %s --dim=B=1 --random-inputs=1 --output=z 2>&1 | FileCheck %s
// CHECK: mlgc: error: function `@f` has no result `z`
// CHECK: note: known names: y
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
