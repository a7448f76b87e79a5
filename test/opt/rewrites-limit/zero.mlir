// With a limit of 0 every pass runs and changes nothing.
// RUN: mlgc opt %s --inline --canonicalize --constant-fold --cse --dce --expand=ops=exp --rewrites-limit=0 2>&1 \
// RUN:   | FileCheck %s
// CHECK: rewrites: 0 made, limit 0
// CHECK: func @g
// CHECK: call @g, %x
// CHECK-NEXT: constant
// CHECK-NEXT: neg
// CHECK-NEXT: mul
// CHECK-NEXT: exp
// CHECK-NEXT: exp
func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g, %x : tensor<4xf32>
  %c = constant {value = dense<1.0> : tensor<4xf32>} : tensor<4xf32>
  %1 = neg %c
  %2 = mul %0 {other = 1.0}
  %3 = exp %2
  %4 = exp %2
  return %3
}
