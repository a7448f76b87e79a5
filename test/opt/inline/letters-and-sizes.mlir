// A size that only the body of a formula names becomes the caller's, and a letter of that name gives way.
// RUN: mlgc opt %s --inline -o %t
// RUN: FileCheck %s < %t
// CHECK: func @f(%a: tensor<[N]xf64>, %b: tensor<3xf64>)
// CHECK-NEXT: %y = compute %b {formula = "y[N_1] = x0[N_1] / (N) over N_1 < 3"} : tensor<3xf64>
// RUN: mlgc eval %s --function=f --input=a=4xf64=1,2,3,4 --input=b=[8,4,2] | FileCheck %s --check-prefix=VALUES
// RUN: mlgc eval %t --function=f --input=a=4xf64=1,2,3,4 --input=b=[8,4,2] | FileCheck %s --check-prefix=VALUES
// VALUES: [2.0, 1.0, 0.5]
// An operand hides a size of its name.
// CHECK: func @g(%a: tensor<[N]xf64>)
// CHECK-NEXT: %y = compute %a {formula = "y[b0] = x0[b0]*2.0 over b0 < [N]"} : tensor<[N]xf64>
func @share(%x: tensor<[B]xf64>, %s: tensor<3xf64>) -> tensor<3xf64> where 1 <= B {
  %y = compute %s {formula = "y[N] = x0[N] / real(B) over N < 3"} : tensor<3xf64>
  return %y
}
func @f(%a: tensor<[N]xf64>, %b: tensor<3xf64>) -> tensor<3xf64> where 1 <= N {
  %y = call @share, %a, %b
  return %y
}
func @double(%x: tensor<[x0]xf64>) -> tensor<[x0]xf64> {
  %y = compute %x {formula = "x0*2"} : tensor<[x0]xf64>
  return %y
}
func @g(%a: tensor<[N]xf64>) -> tensor<[N]xf64> {
  %y = call @double, %a
  return %y
}
