// The loop holds `exp`, so it stays outside; its body is partitioned by itself. The `if` is supported with all that is
// inside it.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json | FileCheck %s
// CHECK: %a = segment (%0 = %x) attributes {target = "accel"} {
// CHECK-NEXT: %1 = relu %0
// CHECK: %h = scan %a, %o (%c: tensor<4xf32>, %e: tensor<4xf32>) attributes {carried = 1} {
// CHECK-NEXT:   %m = segment (%0 = %c, %1 = %e, %2 = %a) attributes {target = "accel"} {
// CHECK-NEXT:     %n = add %0, %1
// CHECK-NEXT:     %3 = mul %n, %2
// CHECK-NEXT:     yield %3
// CHECK-NEXT:   } : tensor<4xf32>
// CHECK-NEXT:   %u = exp %m
// CHECK-NEXT:   yield %u
// CHECK-NEXT: } : tensor<4xf32>
// CHECK-NEXT: %z = segment (%0 = %k, %1 = %h) attributes {target = "accel"} {
// CHECK-NEXT:   %y = if %0 {
// CHECK-NEXT:     %r = relu %1
// CHECK-NEXT:     yield %r
// CHECK-NEXT:   } else {
// CHECK-NEXT:     yield %1
// CHECK-NEXT:   } : tensor<4xf32>
// CHECK-NEXT:   %2 = add %y, %1
func @f(%x: tensor<4xf32>, %o: tensor<[T]x4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  %a = relu %x
  %h = scan %a, %o (%c: tensor<4xf32>, %e: tensor<4xf32>) attributes {carried = 1} {
    %n = add %c, %e
    %m = mul %n, %a
    %u = exp %m
    yield %u
  }
  %y = if %k {
    %r = relu %h
    yield %r
  } else {
    yield %h
  }
  %z = add %y, %h
  return %z
}
