// A loop whose body binds a size is copied for its tape; each copy binds a size of its own, also in second derivatives.
// RUN: mlgc grad %s --wrt=a -o %t.mlir
// RUN: mlgc eval %t.mlir --input=a=3 --input=x=5xf64=1,0,2,0,0 | FileCheck %s
// CHECK: root: f64
// CHECK-NEXT: 147.0
// CHECK: d_a: f64
// CHECK-NEXT: 144.0
// RUN: mlgc grad %t.mlir --of=d_a --wrt=a | mlgc eval - --input=a=3 --input=x=5xf64=1,0,2,0,0 | FileCheck %s --check-prefix=TWICE
// TWICE: d_a_2: f64
// TWICE-NEXT: 120.0
func @f(%a: tensor<f64>, %x: tensor<5xf64>) -> tensor<f64> {
  %root = while (%r = %a) {
    %more = lt %r {other = 100.0}
    condition %more, %r
  } do (%r: tensor<f64>) {
    %n = nonzero %x : tensor<[u]x1xi64>
    %i = select %n {dim = 1, index = 0}
    %s = index_select %x, %i {dim = 0}
    %q = sum %s {dim = [0]}
    %p = mul %r, %r
    %next = add %p, %q
    yield %next
  }
  return %root
}
