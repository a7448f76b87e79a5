// Two products around a softmax are attention; a softmax over another axis is not.
// RUN: mlgc opt %s --rules=recover-attention --dce | FileCheck %s
// RUN: mlgc opt %s --rules=recover-attention --dce --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RUN: mlgc opt %s --rules=recover-attention --numerics=exact | FileCheck %s --check-prefix=REFUSED
// CHECK-LABEL: func @attention
// CHECK-NEXT: %y = scaled_dot_product_attention %q, %k, %v {scale = 0.5}
// CHECK-NEXT: return %y
// CHECK-LABEL: func @other_axis
// CHECK: softmax
// CHECK-LABEL: func @shared_query
// CHECK: softmax
// RULES: rule attention: 1
// REFUSED-NOT: scaled_dot_product_attention
func @attention(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[S]x4xf32>, %v: tensor<[B]x2x[S]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = 2}
  %products = matmul %q, %kt
  %scores = mul %products {other = 0.5}
  %weights = softmax %scores {dim = -1}
  %y = matmul %weights, %v
  return %y
}
func @other_axis(%q: tensor<[S]x4xf32>, %k: tensor<[S]x4xf32>, %v: tensor<[S]x4xf32>) -> tensor<[S]x4xf32> {
  %kt = transpose %k {dim0 = 0, dim1 = 1}
  %products = matmul %q, %kt
  %scores = mul %products {other = 0.5}
  %weights = softmax %scores {dim = 0}
  %y = matmul %weights, %v
  return %y
}
// Axis 1 is the last one of the query, and none of the scores' last two.
func @shared_query(%q: tensor<[S]x4xf32>, %k: tensor<[B]x2x[S]x4xf32>, %v: tensor<[S]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = 2, dim1 = 3}
  %products = matmul %q, %kt
  %scores = mul %products {other = 0.5}
  %weights = softmax %scores {dim = 1}
  %y = matmul %weights, %v
  return %y
}
