// Names of values are kept; values without a name are numbered.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: %0 = sin %x
// CHECK: %deep = cos %0
// CHECK: %1 = exp %deep
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %7 = sin %x
  %deep = cos %7
  %9 = exp %deep
  return %9
}
