// What the function says of its sizes decides comparisons, and what hangs on them; what it does not say stays open.
// RUN: mlgc opt %s --simplify-shapes | FileCheck %s
// RUN: mlgc opt %s --simplify-shapes --canonicalize --dce | FileCheck %s --check-prefix=FOLDED
// CHECK: %large = constant {value = dense<true> : tensor<i1>}
// CHECK-NEXT: %even = eq %b
// CHECK: %t = constant {value = dense<3> : tensor<i64>}
// FOLDED-NOT: if
// FOLDED: sum
func @f(%x: tensor<[B]x[T]xf32>) -> (tensor<f32>, tensor<i1>, tensor<i64>) where 2 <= B, 3 <= T <= 3 {
  %b = dim [B]
  %large = ge %b {other = 2}
  %even = eq %b {other = 4}
  %y = if %large {
    %s = sum %x
    yield %s
  } else {
    %m = mean %x
    yield %m
  }
  %t = dim [T]
  return %y, %even, %t
}
