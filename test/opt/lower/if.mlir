// A condition is loaded from its buffer; each arm writes its results where they belong, or copies what is there already.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=x=2xf32=[1.0,2.0] | FileCheck %s --check-prefix=VALUES
// CHECK: func @f(%x: buffer<[B]xf32, argument>, %r: buffer<[B]xf32, argument>)
// CHECK: launch @f.0.sum_gt, %x, %c
// CHECK-NEXT: [[C:%.*]] = load %c[] : i1
// CHECK-NEXT: [[R:%.*]] = alloc : buffer<[B]xf32, arena>
// CHECK-NEXT: if [[C]] {
// CHECK-NEXT: launch @f.1.mul, %x, [[R]]
// CHECK-NEXT: yield
// CHECK-NEXT: } else {
// CHECK-NEXT: launch @f.{{[0-9]}}.copy, %x, [[R]]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: launch @f.2.neg, [[R]], %r
// VALUES: [-2.0, -4.0]
func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %s = sum %x
  %c = gt %s {other = 0}
  %i = if %c {
    %0 = mul %x {other = 2}
    yield %0
  } else {
    yield %x
  }
  %r = neg %i
  return %r
}
