// Sizes are printed in one canonical form.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: tensor<[B*S + 2]x[(H + 1) floordiv 2]xf32>
func @f(%x: tensor<[S*B + 1 + 1]x[(H - 1) floordiv 2 + 1]xf32>) {
  return
}
