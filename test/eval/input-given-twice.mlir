// Each argument takes one value.
// RUN: %exits 2 mlgc eval %s --input=s=1 --input=s=2 2>&1 | FileCheck %s
// CHECK: mlgc: error: argument `s` is given twice
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
