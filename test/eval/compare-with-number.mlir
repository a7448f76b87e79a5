// A number is rounded to the dtype that it is compared in.
// RUN: mlgc eval %s --input=x=[0.1,0.2] | FileCheck %s
// CHECK: y: 2xi1
// CHECK-NEXT: [ true, false]
func @f(%x: tensor<2xbf16>) -> tensor<2xi1> {
  %y = eq %x {other = 0.1}
  return %y
}
