// Slices of the sequences are copied in, what is stacked is copied out, from the last slice on where it says so.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=h=2xf32=[0.0,0.0] --input=x=3x2xf32=iota | FileCheck %s --check-prefix=VALUES
// CHECK: launch @f.{{[0-9]}}.copy, %h, %c
// CHECK-NEXT: for [0, T] (%step: index) {
// CHECK-NEXT: %s = alloc : buffer<2xf32, arena>
// CHECK-NEXT: for [0, 2] (%d0: index) {
// CHECK-NEXT: load %x[T - %step - 1, %d0] : f32
// CHECK-NEXT: store {{%.*}}, %s[%d0]
// CHECK: launch @f.0.add, {{%.*}}, {{%.*}}, [[N:%.*]]
// CHECK: load [[N]][%d0] : f32
// CHECK-NEXT: store {{%.*}}, %all[T - %step - 1, %d0]
// CHECK: launch @f.{{[0-9]}}.copy, [[N]], %c
// CHECK-NEXT: yield
// VALUES: c: 2xf32
// VALUES-NEXT: [6.0, 9.0]
// VALUES-NEXT: all: 3x2xf32
// VALUES-NEXT: 6.0, 9.0],
func @f(%h: tensor<2xf32>, %x: tensor<[T]x2xf32>) -> (tensor<2xf32>, tensor<[T]x2xf32>) {
  %c, %all = scan %h, %x (%p: tensor<2xf32>, %s: tensor<2xf32>) attributes {carried = 1, reverse = true} {
    %n = add %p, %s
    yield %n, %n
  }
  return %c, %all
}
