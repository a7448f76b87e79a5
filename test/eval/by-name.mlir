// Named inputs stand in any order; --dim gives the sizes of what is made up.
// RUN: mlgc eval %s --input=s=2 --input=x=iota --dim=B=2 | FileCheck %s
// CHECK: y: 2x2xf32
// CHECK-NEXT: {{\[\[}}0.0, 2.0],
// CHECK-NEXT: [4.0, 6.0{{\]\]}}
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
