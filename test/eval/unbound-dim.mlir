// A made-up value needs sizes.
// RUN: %exits 2 mlgc eval %s --random-inputs=1 2>&1 | FileCheck %s
// CHECK: mlgc: error: the size of `x` is not known: its type is tensor<[B]x2xf32>
// CHECK-NEXT: mlgc: note: state the shape in --input, or the symbols with --dim=B=4
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
