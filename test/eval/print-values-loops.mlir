// Of a loop the first iterations are printed, and how many were left out; a loop that does not end on made-up numbers
// ends all the same.
// RUN: mlgc eval %s --input=4 --print-values=%v,%n,%j | FileCheck %s --match-full-lines --check-prefix=TEN
// RUN: mlgc eval %s --input=4 --print-values=%v,%n,%j --print-iterations=2 | FileCheck %s --match-full-lines
// RUN: mlgc eval %s --input=4 --print-values=%n --print-iterations=0 | FileCheck %s --match-full-lines --check-prefix=ALL
// RUN: mlgc eval %s --input=4 --print-values=%n --print-iterations=1 --format=json | FileCheck %s --check-prefix=JSON
// RUN: %exits 5 mlgc eval %samples/while_newton.mlir --random-inputs=1 --max-trips=7 --print-values=%n --print-iterations=1 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: %exits 2 mlgc eval %s --input=4 --print-iterations=1 2>&1 | FileCheck %s --check-prefix=NEEDS
// TEN: %n = add : f32 in for %r[9], while %w body[3]
// TEN: for %r: 2 more iterations left out (--print-iterations)
// CHECK: %v = argument : f32 in for %r[0], while %w condition[0]
// CHECK: %n = add : f32 in for %r[0], while %w body[1]
// CHECK-NEXT: 2.0
// CHECK-NEXT: %v = argument : f32 in for %r[0], while %w condition[2]
// CHECK-NEXT: 2.0
// CHECK-NEXT: while %w: 2 more iterations left out (--print-iterations)
// CHECK-NEXT: %j = argument : i64 in for %r[1]
// CHECK-NEXT: 1
// CHECK: %v = argument : f32 in for %r[1], while %w condition[2]
// CHECK-NEXT: 2.0
// CHECK-NEXT: while %w: 2 more iterations left out (--print-iterations)
// CHECK-NEXT: for %r: 10 more iterations left out (--print-iterations)
// CHECK-NEXT: r: f32
// ALL: %n = add : f32 in for %r[11], while %w body[3]
// ALL-NEXT: 4.0
// ALL-NEXT: r: f32
// JSON: {"value":"%n","op":"add","in":["@many","for %r[0]","while %w body[0]"],"dtype":"f32","shape":[],"elements":[1.0]}
// JSON-NEXT: {"loop":"while %w","iterations_left_out":3}
// JSON-NEXT: {"loop":"for %r","iterations_left_out":11}
// ENDLESS: while %root: 6 more iterations left out (--print-iterations)
// ENDLESS: error: the loop runs more than 7 times
// ENDLESS: note: if it does end, `mlgc eval --max-trips=N` lets it run longer
// NEEDS: error: --print-iterations requires --print-values
func @many(%x: tensor<f32>) -> tensor<f32> {
  %zero = constant {value = dense<0.0> : tensor<f32>}
  %r = for [0, 12] (%j: index, %acc = %zero) {
    %w = while (%v = %zero) {
      %less = sub %v, %x
      %more = lt %less {other = 0.0}
      condition %more, %v
    } do (%v: tensor<f32>) {
      %n = add %v {other = 1.0}
      yield %n
    }
    %next = add %acc, %w
    yield %next
  }
  return %r
}
