// Shifts by less than 0 or by all bits, divisors of the least integer: the same in the interpreter and in compiled code.
// RUN: mlgc eval %s --input=x=6xi8=1,-5,100,-128,-128,0 --input=n=6xi8=7,-1,8,1,6,0 | FileCheck %s
// CHECK: left: 6xi8
// CHECK-NEXT: [-128,    0,    0,    0,    0,    0]
// CHECK: right: 6xi8
// CHECK-NEXT: [  0,  -1,   0, -64,  -2,   0]
// CHECK: divisor: 6xi8
// CHECK-NEXT: [1, 1, 4, 1, 2, 0]
// CHECK: multiple: 6xi8
// CHECK-NEXT: [   7,    5,  -56, -128, -128,    0]
// RUN: mlgc eval %s --input=x=6xi8=1,-5,100,-128,-128,0 --input=n=6xi8=7,-1,8,1,6,0 --compare=cpp | FileCheck %s --check-prefix=CPP
// CPP-DAG: left by cpp: agrees
// CPP-DAG: right by cpp: agrees
// CPP-DAG: divisor by cpp: agrees
// CPP-DAG: multiple by cpp: agrees
module {
func @bits(%x: tensor<6xi8>, %n: tensor<6xi8>) -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>) {
  %left = bitwise_left_shift %x, %n : tensor<6xi8>
  %right = bitwise_right_shift %x, %n : tensor<6xi8>
  %divisor = gcd %x, %n : tensor<6xi8>
  %multiple = lcm %x, %n : tensor<6xi8>
  return %left, %right, %divisor, %multiple
}
}
