// A function states the function that its adjoints are computed by.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: mlir-opt-19 --allow-unregistered-dialect --verify-roundtrip %t.2.mlir | FileCheck %s --check-prefix=GENERIC
// GENERIC: @f{{.*}}mlgc.gradient = @back
// RUN: FileCheck %s < %t.1.mlir
// CHECK: func @f(%x: tensor<[B]xf32>, %n: tensor<i64>) -> tensor<[B]xf32> where 1 <= B gradient @back attributes {surrogate = true} {
// CHECK: func @"odd name"(%x: tensor<f32>) -> tensor<f32> gradient @"odd back" {
module {
  func @back(%x: tensor<[N]xf32>, %n: tensor<i64>, %g: tensor<[N]xf32>) -> tensor<[N]xf32> {
    return %g
  }
  func @f(%x: tensor<[B]xf32>, %n: tensor<i64>) -> tensor<[B]xf32> where 1 <= B gradient @back attributes {surrogate = true} {
    %y = round %x
    return %y
  }
  func @"odd back"(%x: tensor<f32>, %g: tensor<f32>) -> tensor<f32> {
    return %g
  }
  func @"odd name"(%x: tensor<f32>) -> tensor<f32> gradient @"odd back" {
    return %x
  }
}
