// New states are paired with what they replace in the signature.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: updates (@s = %n, %x = %y) {
// CHECK: return %o, %n, %y
module {
  state @s : tensor<4xf32>
  func @step(%x: tensor<4xf32>) -> tensor<4xf32> updates (@s = %n, %x = %y) {
    %o = read @s
    %n = add %o, %x
    %y = neg %x
    return %o, %n, %y
  }
}
