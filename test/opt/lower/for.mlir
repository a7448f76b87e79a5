// A loop over an index stays one; its bounds, and what is checked, read tensors of rank 0 from their buffers.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=n=i64=4 --input=x=1xi64=1 | FileCheck %s --check-prefix=VALUES
// RUN: mlgc opt %s --to=loops | %exits 1 mlgc eval - --input=n=i64=9 --input=x=1xi64=1 2>&1 | FileCheck %s --check-prefix=REFUSED
// CHECK: [[N:%.*]] = load %n[] : i64
// CHECK-NEXT: check [-[[N]] + 8] {message = "at most 8"}
// CHECK: [[M:%.*]] = load %n[] : i64
// CHECK: launch @f.{{[0-9]}}.copy, %x, %r
// CHECK-NEXT: for [1, [[M]]] (%i: index) {
// CHECK-NEXT: [[NEXT:%.*]] = alloc : buffer<1xi64, arena>
// CHECK-NEXT: launch @f.0.mul, %r, [[NEXT]]
// CHECK-NEXT: launch @f.{{[0-9]}}.copy, [[NEXT]], %r
// VALUES: [8]
// REFUSED: error: at most 8
func @f(%n: tensor<i64>, %x: tensor<1xi64>) -> tensor<1xi64> {
  check [8 - %n] {message = "at most 8"}
  %r = for [1, %n] (%i: index, %c = %x) {
    %0 = mul %c {other = 2}
    yield %0
  }
  return %r
}
