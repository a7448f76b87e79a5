// Inputs stand in the order of the arguments; results are named as in the text.
// RUN: mlgc eval %s --input=2x2xf32=1,2,3,4 --input=0.5 | FileCheck %s
// CHECK: y: 2x2xf32
// CHECK-NEXT: {{\[\[}}0.5, 1.0],
// CHECK-NEXT: [1.5, 2.0{{\]\]}}
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
