// The number of positions becomes the value of the new size, which later ops use; NaN counts, both zeros do not.
// RUN: mlgc eval %s --function=rows --input=2x3xf32=0,1,nan,0,-0.0,3 | FileCheck %s
// RUN: mlgc eval %s --function=rows --input=0x3xf32=0 | FileCheck %s --check-prefix=EMPTY
// RUN: mlgc eval %s --function=rows --input=2x3xf32=0 | FileCheck %s --check-prefix=EMPTY
// RUN: mlgc eval %s --function=scalar --input=i1=true | FileCheck %s --check-prefix=ONE
// RUN: mlgc eval %s --function=scalar --input=i1=false | FileCheck %s --check-prefix=NONE
// RUN: mlgc eval %s --function=again --input=6xi64=4,0,3,0,2,1 | FileCheck %s --check-prefix=AGAIN
// RUN: %exits 1 mlgc eval %s --function=bound --input=4xi64=1 2>&1 | FileCheck %s --check-prefix=BOUND
// CHECK: p: 3x2xi64
// CHECK-NEXT: {{\[\[}}0, 1],
// CHECK-NEXT: [0, 2],
// CHECK-NEXT: [1, 2{{\]\]}}
// CHECK: y: 3x3xf32
// CHECK: n: i64
// CHECK-NEXT: 3
// EMPTY: p: 0x2xi64
// EMPTY: y: 0x3xf32
// EMPTY: n: i64
// EMPTY-NEXT: 0
// ONE: p: 1x0xi64
// NONE: p: 0x0xi64
// AGAIN: total: i64
// AGAIN-NEXT: 10
// BOUND: nonzero.mlir:[[#@LINE+33]]:8: error: these inputs break `where u <= 2`: u is 4
func @rows(%x: tensor<[B]x3xf32>) -> (tensor<[u0]x2xi64>, tensor<[u0]x3xf32>, tensor<i64>) {
  %p = nonzero %x : tensor<[u0]x2xi64> where u0 <= 3*B
  %r = select %p {dim = 1, index = 0}
  %y = index_select %x, %r {dim = 0}
  %n = dim [u0]
  return %p, %y, %n
}
func @scalar(%x: tensor<i1>) -> tensor<[u]x0xi64> {
  %p = nonzero %x : tensor<[u]x0xi64>
  return %p
}
// 4 + 3 + 2 + 1 of one element more than zero each.
func @again(%x: tensor<6xi64>) -> tensor<i64> {
  %zero = constant {value = dense<0> : tensor<i64>}
  %total, %rest = while (%t = %zero, %a = %x) {
    %any = any %a
    condition %any, %t, %a
  } do {
    %p = nonzero %a : tensor<[u]x1xi64>
    %n = dim [u]
    %sum = add %t, %n
    %less = clamp %a {min = 1}
    %next = sub %less, %less
    %positive = gt %a, %zero
    %one = constant {value = dense<1> : tensor<i64>}
    %down = sub %a, %one
    %kept = where %positive, %down, %next
    yield %sum, %kept
  }
  return %total
}
func @bound(%x: tensor<4xi64>) -> tensor<[u]x1xi64> {
  %p = nonzero %x : tensor<[u]x1xi64> where u <= 2
  return %p
}
