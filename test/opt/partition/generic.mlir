// The generic form of a segment is MLIR's, and reads back.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json --form=generic | FileCheck %s
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json --form=generic | mlgc opt | FileCheck %s --check-prefix=BACK
// CHECK: "mlgc.segment"(%x) <{target = "accel"}> ({
// CHECK-NEXT: ^bb0(%0: tensor<4xf32>):
// CHECK-NEXT:   %1 = "mlgc.relu"(%0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   "mlgc.yield"(%1) : (tensor<4xf32>) -> ()
// CHECK-NEXT: }) : (tensor<4xf32>) -> tensor<4xf32>
// BACK: %a = segment (%0 = %x) attributes {target = "accel"} {
// BACK-NEXT: %1 = relu %0
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  return %a
}
