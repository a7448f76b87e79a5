// Batch axes that were merged for a product stay apart: `bmm` of views is a product of batches.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// RUN: mlgc opt %s --canonicalize --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule product-of-merged-left: 2
// RULES-DAG: rule product-of-merged-right: 1
// CHECK-LABEL: func @both
// CHECK-NEXT: %y = matmul %x, %z
// CHECK-NEXT: return %y
func @both(%x: tensor<[B]x2x[S]x8xf32>, %z: tensor<[B]x2x8x[T]xf32>) -> tensor<[B]x2x[S]x[T]xf32> {
  %a = view %x {shape = [2*B, S, 8]}
  %b = view %z {shape = [2*B, 8, T]}
  %p = matmul %a, %b
  %y = view %p {shape = [B, 2, S, T]}
  return %y
}
// CHECK-LABEL: func @left
// CHECK-NEXT: %[[Z:.*]] = view %z {shape = [B, 2, 8, T]}
// CHECK-NEXT: matmul %x, %[[Z]]
func @left(%x: tensor<[B]x2x[S]x8xf32>, %z: tensor<[2*B]x8x[T]xf32>) -> tensor<[B]x2x[S]x[T]xf32> {
  %a = view %x {shape = [2*B, S, 8]}
  %p = matmul %a, %z
  %y = view %p {shape = [B, 2, S, T]}
  return %y
}
// CHECK-LABEL: func @right
// CHECK-NEXT: %[[X:.*]] = view %x {shape = [B, 2, S, 8]}
// CHECK-NEXT: matmul %[[X]], %z
func @right(%x: tensor<[2*B]x[S]x8xf32>, %z: tensor<[B]x2x8x[T]xf32>) -> tensor<[B]x2x[S]x[T]xf32> {
  %b = view %z {shape = [2*B, 8, T]}
  %p = matmul %x, %b
  %y = view %p {shape = [B, 2, S, T]}
  return %y
}
// A view that merges rows is another product.
// CHECK-LABEL: func @rows
// CHECK: matmul {{.*}} : tensor<[B*S]x4xf32>
func @rows(%x: tensor<[B]x[S]x8xf32>, %w: tensor<8x4xf32>) -> tensor<[B]x[S]x4xf32> {
  %a = view %x {shape = [B*S, 8]}
  %p = matmul %a, %w
  %y = view %p {shape = [B, S, 4]}
  return %y
}
