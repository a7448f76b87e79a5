// Arguments, results and constraints of a function.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: func @f(%x: tensor<[B]x4xf32>, %n: tensor<i64>) -> (tensor<[B]x4xf32>, tensor<i64>) where 1 <= B <= 64, B mod 8 == 0 {
func @f(%x: tensor<[B]x4xf32>, %n: tensor<i64>) -> (tensor<[B]x4xf32>, tensor<i64>) where 1 <= B <= 64, B mod 8 == 0 {
  return %x, %n
}
