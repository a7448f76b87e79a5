// A value of a row with dims of 1 is read at its own subscripts only: padding stays padding, and a subscript that lies
// outside is an error.
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=pad --input=x=2x3xf32=iota | FileCheck %s --check-prefix=PAD
// RUN: mlgc opt %s --to=loops | %exits 1 mlgc eval - --function=gather --input=x=2x3xf32=iota --input=i=2x1xi64=0,5 2>&1 | FileCheck %s --check-prefix=GATHER
// PAD: 0.0, 3.0, 0.0
// PAD-NEXT: 0.0, 12.0, 0.0
// GATHER: error: a subscript of `s` lies outside
func @pad(%x: tensor<[B]x3xf32>) -> tensor<[B]x3xf32> {
  %s = sum %x {dim = [1], keepdim = true}
  %p = pad %s {pad = [1, 1]}
  return %p
}
func @gather(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>) -> tensor<2x1xf32> {
  %s = sum %x {dim = [1], keepdim = true}
  %p = gather %s, %i {dim = 1}
  return %p
}
