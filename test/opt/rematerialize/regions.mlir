// What stands in regions belongs to the op that has them, which is not computed again; what backward's regions read is
// copied in front of the op that has them. %n is a result, and there anyway.
// RUN: mlgc opt %s --rematerialize='function=f results=1 recompute=all' | FileCheck %s
// CHECK: %r = if %p
// CHECK: %g = mul %h, %n
// CHECK-NEXT: %[[AGAIN:.*]] = optimization_barrier %r, %g
// CHECK-NEXT: %[[E:.*]] = exp %[[AGAIN]]
// CHECK-NEXT: if %p
// CHECK-NEXT: mul %[[E]], %g
module {
  func @f(%x: tensor<4xf32>, %p: tensor<i1>, %h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %r = if %p {
      %a = exp %x
      %b = mul %a, %a
      yield %b
    } else {
      yield %x
    }
    %e = exp %r
    %n = sin %e
    %g = mul %h, %n
    %d = if %p {
      %c = mul %e, %g
      yield %c
    } else {
      yield %r
    }
    return %n, %d
  }
}
