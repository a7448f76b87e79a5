// What a computed size decides stands behind the op that says it, and takes over memory like any other buffer.
// RUN: mlgc opt %s -O0 --to=plan > %t
// RUN: FileCheck %s < %t
// CHECK: func @f(%x: buffer<[B]x4xf32, argument>, %w: buffer<4x4xf32, argument>, %t: buffer<[hits]x4xf32, argument>)
// CHECK: launch @f.{{[0-9]+}}.nonzero_count
// CHECK-NEXT: bind_size %count {name = "hits"}
// CHECK: %m = alloc : buffer<[hits]x4xf32, arena>
// CHECK-NEXT: launch {{.*}}, %m
// CHECK-NEXT: %s = alloc %m : buffer<[hits]x4xf32, arena>
// CHECK-NEXT: launch {{.*}} %m, %s
// CHECK-NEXT: launch {{.*}} %s, %w, %t
// CHECK-NEXT: return
// RUN: mlgc eval %t --input=x=2x4xf32=0,1,0,1,0,0,0,2 --input=w=4x4xf32=1 | FileCheck %s --check-prefix=VALUE
// VALUE: t: 3x4xf32
// VALUE-NEXT: 1.0, 1.0, 1.0, 1.0
func @f(%x: tensor<[B]x4xf32>, %w: tensor<4x4xf32>) -> tensor<[hits]x4xf32> {
  %p = nonzero %x : tensor<[hits]x2xi64>
  %r = select %p {dim = 1, index = 0}
  %a = index_select %x, %r {dim = 0}
  %m = matmul %a, %w
  %s = softmax %m {dim = 1}
  %t = matmul %s, %w
  return %t
}
