// Movement of a weight is done once: the function reads a derived weight.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @w : tensor<3x4xf32>
// CHECK-NEXT: weight @w.transpose : tensor<4x3xf32> = {
// CHECK-NEXT: %w = read @w : tensor<3x4xf32>
// CHECK-NEXT: %t = transpose %w {dim0 = 0, dim1 = 1}
// CHECK-NEXT: yield %t
// CHECK: func @f
// CHECK-NEXT: %t = read @w.transpose : tensor<4x3xf32>
// CHECK-NEXT: %y = matmul %x, %t
weight @w : tensor<3x4xf32>
func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x3xf32> {
  %w = read @w
  %t = transpose %w {dim0 = 0, dim1 = 1}
  %y = matmul %x, %t
  return %y
}
