// A fusion that is there stays as it is, and the report says what takes it apart.
// RUN: mlgc explain fusion %s | FileCheck %s
// CHECK: uses: 0 of 1 fused
// CHECK-NEXT: apart  %h of fusion  by %y = exp  128*B bytes lost  fusion: one of the two is a `fusion` already; needs expanding it: the pass inline{fusions=true}
func @f(%x: tensor<[B]x32xf32>) -> tensor<[B]x32xf32> {
  %h = fusion (%0 = %x) {
    %1 = relu %0
    yield %1
  }
  %y = exp %h
  return %y
}
