// An argument without a value says how to give one.
// RUN: %exits 2 mlgc eval %s --input=s=2 2>&1 | FileCheck %s
// CHECK: mlgc: error: argument `x` of type tensor<[B]x2xf32> has no value
// CHECK-NEXT: mlgc: note: give it with --input=x=rand, or all of them with --input=@file.npz
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
