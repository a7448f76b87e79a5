// What a kernel is called by.
// RUN: mlgc opt %s --fuse | FileCheck %s
// CHECK-LABEL: @f
// CHECK: kind = "pointwise"
// CHECK: index_select
// CHECK-LABEL: @g
// CHECK: kind = "scatter"
// CHECK: index_add
// CHECK-LABEL: @h
// CHECK: kind = "contraction"
// CHECK: matmul
func @f(%x: tensor<8x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %a = index_select %x, %i {dim = 0}
  return %a
}
func @g(%x: tensor<8x4xf32>, %i: tensor<3xi64>, %v: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %a = index_add %x, %i, %v {dim = 0}
  return %a
}
func @h(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %a = matmul %x, %y
  return %a
}
