// Module data: weights, derived weights and states.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: module @m weights "m.safetensors" {
// CHECK: weight @a : tensor<4xf32>
// CHECK: weight @b : tensor<4xf32> = {
// CHECK: yield %n
// CHECK: state @s : tensor<4xf32>
module @m weights "m.safetensors" {
  weight @a : tensor<4xf32>
  weight @b : tensor<4xf32> = {
    %a = read @a
    %n = neg %a
    yield %n
  }
  state @s : tensor<4xf32>
}
