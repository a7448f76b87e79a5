// An op that introduces a size prints what bounds it.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: %p = nonzero %x : tensor<[u0]x1xi64> where u0 <= N
func @positions(%x: tensor<[N]xf32>) -> tensor<[u0]x1xi64> {
  %p = nonzero %x : tensor<[u0]x1xi64> where u0 <= N
  return %p
}
