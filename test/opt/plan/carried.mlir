// What a loop of a host function carries is written where it is carried; what changes places is copied.
// RUN: mlgc opt %s -O0 --to=plan > %t
// RUN: FileCheck %s < %t
// RUN: mlgc eval %s --function=forth --random-inputs=4 -O0 > %t.graph
// RUN: mlgc eval %t --function=forth --random-inputs=4 | diff - %t.graph
// CHECK-LABEL: func @forth(
// CHECK-NEXT: launch @forth.1.copy, %x, %r
// CHECK-NEXT: for [0, 5] (%k: index)
// CHECK-NEXT: launch @forth.0.exp, %r, %r
// CHECK-NEXT: yield
// CHECK: return
func @forth(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = for [0, 5] (%k: index, %c = %x) {
    %d = exp %c : tensor<8x4xf32>
    yield %d
  } : tensor<8x4xf32>
  return %r
}
// A product reads all of what is carried: its result is copied, behind it.
// CHECK-LABEL: func @product(
// CHECK: for [0, 5] (%k: index)
// CHECK-NEXT: %d = alloc : buffer<4x4xf32, arena>
// CHECK-NEXT: launch @product.0.matmul, %r, %w, %d
// CHECK-NEXT: launch @product.1.copy, %d, %r
func @product(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = for [0, 5] (%k: index, %c = %x) {
    %d = matmul %c, %w : tensor<4x4xf32>
    yield %d
  } : tensor<4x4xf32>
  return %r
}
// CHECK-LABEL: func @swapped(
// CHECK: for [0, 3] (%k: index)
// CHECK-COUNT-3: launch @{{.*}}.copy
// CHECK: yield
func @swapped(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = for [0, 3] (%k: index, %a = %x, %b = %y) {
    yield %b, %a
  } : tensor<4xf32>, tensor<4xf32>
  return %r, %s
}
