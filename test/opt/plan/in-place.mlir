// A kernel whose iterations keep apart writes over what it reads the last of, rows included; a product does not. What
// lies in the memory of the result takes none of the arena.
// RUN: mlgc opt %s -O0 --to=plan | FileCheck %s
// CHECK-LABEL: func @f(
// CHECK-SAME: attributes {planned = true, results = 1}
// CHECK-NEXT: %a = alloc : buffer<[B]x4xf32, arena>
// CHECK-NEXT: launch @f.0.matmul, %x, %u, %a
// CHECK-NEXT: %b = alloc %a : buffer<[B]x4xf32, arena>
// CHECK-NEXT: launch @f.1.softmax, %a, %b
// CHECK-NEXT: %c = alloc %y : buffer<[B]x4xf32, arena>
// CHECK-NEXT: launch @f.2.matmul, %b, %v, %c
// CHECK-NEXT: launch @f.1.softmax, %c, %y
// CHECK-NEXT: return
// RUN: mlgc opt %s -O0 --numerics=exact --to=plan > %t
// RUN: mlgc opt %t | diff - %t
// RUN: mlgc eval %s --dim=B=3 --random-inputs=4 -O0 > %t.graph
// RUN: mlgc eval %t --dim=B=3 --random-inputs=4 | diff - %t.graph
func @f(%x: tensor<[B]x3xf32>, %u: tensor<3x4xf32>, %v: tensor<4x4xf32>) -> tensor<[B]x4xf32> {
  %a = matmul %x, %u : tensor<[B]x4xf32>
  %b = softmax %a {dim = 1} : tensor<[B]x4xf32>
  %c = matmul %b, %v : tensor<[B]x4xf32>
  %y = softmax %c {dim = 1} : tensor<[B]x4xf32>
  return %y
}
