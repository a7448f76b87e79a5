// Names that are taken get a number.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @w.mul.1 : tensor<4xf32>
// CHECK: weight @w.mul.2 : tensor<4xf32>
weight @w : tensor<4xf32>
weight @w.mul : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %w = read @w
  %a = mul %w {other = 2.0}
  %b = mul %w {other = 3.0}
  %y = add %x, %a
  %z = add %x, %b
  return %y, %z
}
