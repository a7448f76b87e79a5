// Types inside a function are inferred under its constraints, also where the generic form states them behind its body.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s --check-prefix=GENERIC < %t.2.mlir
// GENERIC: "mlgc.add"(%x, %y)
// GENERIC: }) {mlgc.where = ["B == S", "S mod 2 == 0"]} : () -> ()
func @f(%x: tensor<[B]x4xf32>, %y: tensor<[S]x4xf32>) -> tensor<[B]x4xf32> where B == S, S mod 2 == 0 {
  %z = add %x, %y
  return %z
}
func @without(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %z = add %x, %x
  return %z
}
