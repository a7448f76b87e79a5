// Subscripts that divide by a size of 0 belong to no element: a view of an empty tensor is empty.
// RUN: mlgc eval %s --dim=B=0 --random-inputs=1 --output=- | FileCheck %s --check-prefix=EMPTY
// RUN: mlgc eval %s --dim=B=2 --input=x=2x2xf32=iota --output=- | FileCheck %s
// EMPTY: result0: 0x1x0xf32
// CHECK: result0: 2x1x2xf32
func @f(%x: tensor<[B]x[B]xf32>) -> tensor<[B]x1x[B]xf32> {
  %0 = view %x {shape = [B*B, 1]}
  %1 = view %0 {shape = [B, 1, B]}
  return %1
}
