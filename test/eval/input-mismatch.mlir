// A shape that the type refuses.
// RUN: %exits 1 mlgc eval %s --input=s=1 --input=x=2x3xf32=1 2>&1 | FileCheck %s
// CHECK: mlgc: error: argument `x` is tensor<[B]x2xf32>, the value given is 2x3xf32
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
