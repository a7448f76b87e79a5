// Normal numbers of 16 bits are those of f32, rounded: f16 has no number as large as what they are computed from.
// RUN: mlgc eval %s --input=key=[1,2] | FileCheck %s
// CHECK: wide: 4xf32
// CHECK-NEXT: [{{ *}}[[A:[-0-9.]+]],
// CHECK: half: 4xf16
// CHECK: most: f32
// CHECK-NEXT: {{0|0.000[0-9]+}}
func @f(%key: tensor<2xi64>) -> (tensor<4xf32>, tensor<4xf16>, tensor<f32>) {
  %wide = normal %key {dtype = f32, size = [4]}
  %half = normal %key {dtype = f16, size = [4]}
  %again = cast %half {dtype = f32}
  %difference = sub %wide, %again
  %distance = abs %difference
  %most = amax %distance {dim = [0]}
  return %wide, %half, %most
}
