// Regions that see the values around them.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: %y = if %c {
// CHECK: yield %a
// CHECK: } else {
// CHECK: } : tensor<4xf32>
func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = if %c {
    %a = sin %x
    yield %a
  } else {
    yield %x
  }
  return %y
}
