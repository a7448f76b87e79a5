// Every value of a run in the order of execution, with the regions around it; then the results, as without the flag.
// RUN: mlgc eval %s --function=main --input=2xf32=4,8 --print-values | FileCheck %s --match-full-lines
// CHECK: %x = argument : 2xf32
// CHECK-NEXT: [4.0, 8.0]
// CHECK-NEXT: %i = argument : i64 in for %acc[0]
// CHECK-NEXT: 0
// CHECK-NEXT: %a = argument : 2xf32 in for %acc[0]
// CHECK-NEXT: [4.0, 8.0]
// CHECK-NEXT: %v = argument : 2xf32 in for %acc[0], @half
// CHECK-NEXT: [4.0, 8.0]
// CHECK-NEXT: %q = mul : 2xf32 in for %acc[0], @half
// CHECK-NEXT: [2.0, 4.0]
// CHECK-NEXT: %h = call : 2xf32 in for %acc[0]
// CHECK-NEXT: [2.0, 4.0]
// CHECK-NEXT: %g = guard : i1 in for %acc[0]
// CHECK-NEXT: false
// CHECK-NEXT: %y = if : 2xf32 in for %acc[0]
// CHECK-NEXT: [2.0, 4.0]
// CHECK-NEXT: %i = argument : i64 in for %acc[1]
// CHECK: %t = neg : 2xf32 in for %acc[1], if %y then
// CHECK-NEXT: [-1.0, -2.0]
// CHECK: %s = argument : f32 in while %e condition[0]
// CHECK: %s2 = argument : f32 in while %e body[0]
// CHECK-NEXT: -3.0
// CHECK-NEXT: %up = add : f32 in while %e body[0]
// CHECK-NEXT: -1.0
// CHECK: %s = argument : f32 in while %e condition[2]
// CHECK-NEXT: 1.0
// CHECK: %e = while : f32
// CHECK-NEXT: 1.0
// CHECK-NEXT: e: f32
// CHECK-NEXT: 1.0
func @half(%v: tensor<2xf32>) -> tensor<2xf32> {
  %q = mul %v {other = 0.5}
  return %q
}
func @main(%x: tensor<2xf32>) -> tensor<f32> {
  %acc = for [0, 2] (%i: index, %a = %x) {
    %h = call @half, %a
    %g = guard [%i - 1]
    %y = if %g {
      %t = neg %h
      yield %t
    } else {
      yield %h
    } : tensor<2xf32>
    yield %y
  }
  %sum = sum %acc {dim = [0]}
  %e = while (%s = %sum) {
    %more = lt %s {other = 0.0}
    condition %more, %s
  } do (%s2: tensor<f32>) {
    %up = add %s2 {other = 2.0}
    yield %up
  }
  return %e
}
