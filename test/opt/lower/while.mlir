// What a loop carries lives in one buffer; where the first region passes on something else, that has its own. Values that
// change places are saved first.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=x=1xf32=[1.0] --input=y=1xf32=[5.0] | FileCheck %s --check-prefix=VALUES
// CHECK: func @f(
// CHECK: launch @f.{{[0-9]}}.fill, %n
// CHECK-NEXT: launch @f.[[COPY:[0-9]]].copy, %x, %a
// CHECK: while {
// CHECK-NEXT: [[GO:%.*]] = alloc : buffer<i1, arena>
// CHECK-NEXT: launch @f.{{[0-9]}}.lt, %n, [[GO]]
// CHECK: condition
// CHECK-NEXT: } do {
// CHECK: launch @f.[[COPY]].copy, [[B:%.*]], [[SAVED:%.*]]
// CHECK: launch @f.[[COPY]].copy, {{%.*}}, %a
// CHECK-NEXT: launch @f.[[COPY]].copy, {{%.*}}, %b
// CHECK-NEXT: yield
// VALUES: n: i64
// VALUES-NEXT: 3
// VALUES-NEXT: a: 1xf32
// VALUES-NEXT: [5.0]
// VALUES-NEXT: b: 1xf32
// VALUES-NEXT: [1.0]
func @f(%x: tensor<1xf32>, %y: tensor<1xf32>) -> (tensor<i64>, tensor<1xf32>, tensor<1xf32>) {
  %zero = constant {value = dense<0> : tensor<i64>}
  %n, %a, %b = while (%i = %zero, %p = %x, %q = %y) {
    %go = lt %i {other = 3}
    condition %go, %i, %p, %q
  } do {
    %j = add %i {other = 1}
    yield %j, %q, %p
  }
  return %n, %a, %b
}
