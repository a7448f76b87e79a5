// What a callee asks of its sizes: nothing is said where it follows; else the caller says it, whose call would fail; in a region that
// may not run the call stays, and is not lowered.
// RUN: mlgc opt %s --inline --statistics > %t 2>&1
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=COUNT < %t
// COUNT: calls-constrained: 1
// CHECK: func @follows(%a: tensor<[B]xf32>) -> tensor<[B]xf32> where B <= 3 {
// CHECK-NEXT: exp
// CHECK: func @says(%a: tensor<[2*B]xf32>, %b: tensor<[S]xf32>) -> tensor<[2*B]xf32> where 1 <= S, 2*B <= 4 {
// CHECK-NEXT: exp
// CHECK: func @wrap(%a: tensor<[K]xf32>) -> tensor<[K]xf32> where K <= 4 {
// CHECK: func @caller_of_wrap(%a: tensor<[3*C]xf32>) -> tensor<[3*C]xf32> where 3*C <= 4
// CHECK-NEXT: exp
// CHECK: func @may_not_run(%a: tensor<[B]xf32>, %go: tensor<i1>) -> tensor<[B]xf32> {
// CHECK: call @small
// RUN: %exits 3 mlgc opt %s --to=loops 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: `call` has no lowering to loops: `inline` takes calls away, where `where N <= 4` of what is called follows, or the function may say it: here the call may not run
// LEFT: note: `mlgc eval` runs it, op by op
func @small(%x: tensor<[N]xf32>) -> tensor<[N]xf32> where N <= 4 {
  %y = exp %x
  return %y
}
func @follows(%a: tensor<[B]xf32>) -> tensor<[B]xf32> where B <= 3 {
  %0 = call @small, %a
  return %0
}
func @says(%a: tensor<[2*B]xf32>, %b: tensor<[S]xf32>) -> tensor<[2*B]xf32> where 1 <= S {
  %0 = call @small, %a
  return %0
}
func @wrap(%a: tensor<[K]xf32>) -> tensor<[K]xf32> {
  %0 = call @small, %a
  return %0
}
func @caller_of_wrap(%a: tensor<[3*C]xf32>) -> tensor<[3*C]xf32> {
  %0 = call @wrap, %a
  return %0
}
func @may_not_run(%a: tensor<[B]xf32>, %go: tensor<i1>) -> tensor<[B]xf32> {
  %0 = if %go {
    %1 = call @small, %a
    yield %1
  } else {
    yield %a
  }
  return %0
}
