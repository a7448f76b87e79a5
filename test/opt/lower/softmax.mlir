// Softmax is one kernel: a row is kept between its sum and its division, the exponentials and their sum are one loop.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// CHECK-LABEL: func @f.0.softmax(
// CHECK: for [0, B] {{.*}} attributes {kind = "parallel"}
// CHECK-NEXT: [[E:%.*]] = alloc : buffer<8xf32, thread>
// CHECK: [[MAX:%.*]] = for [0, 8]
// CHECK: [[SUM:%.*]] = for [0, 8]
// CHECK: sub {{.*}}, [[MAX]]
// CHECK-NEXT: [[V:%.*]] = exp
// CHECK-NEXT: store [[V]], [[E]]
// CHECK: yield {{.*}}
// CHECK-NEXT: } : f64
// CHECK: for [0, 8]
// CHECK: load [[E]]
// CHECK: div
// CHECK: launch @f.0.softmax, %x, %result0
func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]x8xf32> {
  %0 = softmax %x {dim = -1}
  return %0
}
