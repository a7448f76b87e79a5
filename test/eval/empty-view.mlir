// Reshapes of tensors without elements divide by sizes that are 0, and by nothing at all.
// RUN: mlgc eval %s --input=x=2x0x4xf32=0 | FileCheck %s
// CHECK: b: 2x0x4xf32
// CHECK-NEXT: []
func @f(%x: tensor<[B]x[S]x4xf32>) -> tensor<[B]x[S]x4xf32> {
  %a = view %x {shape = [B*S, 4]}
  %b = view %a {shape = [B, S, 4]}
  return %b
}
