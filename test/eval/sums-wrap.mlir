// Sums that a row keeps between its statements wrap around in their dtype.
// RUN: mlgc eval %s --input=x=[32767,1] --input=i=[0,0] --input=s=[32767,4] | FileCheck %s
// CHECK: y: 2xi16
// CHECK-NEXT: [0, 1]
func @f(%x: tensor<2xi16>, %i: tensor<2xi64>, %s: tensor<2xi16>) -> tensor<2xi16> {
  %y = scatter_reduce %x, %i, %s {dim = 0, reduce = "mean"}
  return %y
}
