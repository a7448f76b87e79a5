// A misspelled argument.
// RUN: %exits 2 mlgc eval %s --input=z=2 2>&1 | FileCheck %s
// CHECK: mlgc: error: function `@f` has no argument `z`
// CHECK: note: known names: x, s
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
