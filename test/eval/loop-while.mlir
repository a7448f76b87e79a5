// `while` at the loop level carries scalars: what `condition` passes on is what the second region and the results get.
// RUN: mlgc eval %s --input=n=i64=10 | FileCheck %s
// RUN: mlgc eval %s --input=n=i64=0 | FileCheck %s --check-prefix=NONE
// CHECK: s: i64
// CHECK-NEXT: 45
// CHECK: q: i64
// CHECK-NEXT: 20
// NONE: s: i64
// NONE-NEXT: 0
// NONE: q: i64
// NONE-NEXT: 0
func @f(%n: buffer<i64, argument>, %s: buffer<i64, argument>, %q: buffer<i64, argument>) {
  %end = load %n[]
  %zero = literal {dtype = i64, value = 0}
  %i, %sum = while (%j = %zero, %acc = %zero) {
    %go = lt %j, %end
    %twice = add %j, %j
    condition %go, %twice, %acc
  } do (%k: i64, %a: i64) {
    %half = floor_divide %k {other = 2}
    %next = add %half {other = 1}
    %more = add %a, %half
    yield %next, %more
  }
  store %sum, %s[]
  store %i, %q[]
  return
}
