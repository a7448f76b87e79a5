// Shifts by less than 0 or by all bits, divisors of the least integer: the same in the interpreter and in compiled code.
// RUN: mlgc eval %s --input=x=6xi8=1,-5,100,-128,-128,0 --input=n=6xi8=7,-1,8,1,6,0 --input=a=4xi32=-2147483647,-2147483648,2147483646,0 --input=b=4xi32=2,6,-2147483647,-2147483648 | FileCheck %s
// CHECK: left: 6xi8
// CHECK-NEXT: [-128,    0,    0,    0,    0,    0]
// CHECK: right: 6xi8
// CHECK-NEXT: [  0,  -1,   0, -64,  -2,   0]
// CHECK: divisor: 6xi8
// CHECK-NEXT: [ 1,  1,  4,  1, -2,  0]
// CHECK: multiple: 6xi8
// CHECK-NEXT: [   7,    5,  -56, -128, -128,    0]
// A multiple in i32 that wraps around is made positive, as in ATen, and a divisor of the least integer takes the sign of
// the remainder that leads to it.
// CHECK: divisor_i32: 4xi32
// CHECK-NEXT: [          1,          -2,           1, -2147483648]
// CHECK: multiple_i32: 4xi32
// CHECK-NEXT: [          2, -2147483648,  2147483646,           0]
// RUN: mlgc eval %s --input=x=6xi8=1,-5,100,-128,-128,0 --input=n=6xi8=7,-1,8,1,6,0 --input=a=4xi32=-2147483647,-2147483648,2147483646,0 --input=b=4xi32=2,6,-2147483647,-2147483648 --compare=cpp | FileCheck %s --check-prefix=CPP
// CPP-DAG: left by cpp: agrees
// CPP-DAG: right by cpp: agrees
// CPP-DAG: divisor by cpp: agrees
// CPP-DAG: multiple by cpp: agrees
// CPP-DAG: divisor_i32 by cpp: agrees
// CPP-DAG: multiple_i32 by cpp: agrees
module {
func @bits(%x: tensor<6xi8>, %n: tensor<6xi8>, %a: tensor<4xi32>, %b: tensor<4xi32>)
    -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<4xi32>, tensor<4xi32>) {
  %left = bitwise_left_shift %x, %n : tensor<6xi8>
  %right = bitwise_right_shift %x, %n : tensor<6xi8>
  %divisor = gcd %x, %n : tensor<6xi8>
  %multiple = lcm %x, %n : tensor<6xi8>
  %divisor_i32 = gcd %a, %b : tensor<4xi32>
  %multiple_i32 = lcm %a, %b : tensor<4xi32>
  return %left, %right, %divisor, %multiple, %divisor_i32, %multiple_i32
}
}
