// Two products around a softmax are attention, wherever the scale stands.
// RUN: mlgc opt %s --rules=recover-attention --compose-views --dce | FileCheck %s
// RUN: mlgc opt %s --rules=recover-attention --dce --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RUN: mlgc opt %s --rules=recover-attention --numerics=exact | FileCheck %s --check-prefix=REFUSED
// RULES-DAG: rule attention: 4
// RULES-DAG: rule transposed-back: 3
// RULES-DAG: rule attention-scaled-queries: 1
// RULES-DAG: rule attention-divided-queries: 1
// RULES-DAG: rule attention-scaled-keys: 1
// RULES-DAG: rule attention-divided-keys: 1
// RULES-DAG: rule attention-scaled-transposed-keys: 1
// REFUSED-NOT: scaled_dot_product_attention {{.*}}safe
// CHECK-LABEL: func @scores
// CHECK-NEXT: %y = scaled_dot_product_attention %q, %k, %v {safe = false, scale = 0.25}
// CHECK-NEXT: return %y
func @scores(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = 2}
  %products = matmul %q, %kt
  %scaled = mul %products {other = 0.5}
  %scores = div %scaled {other = 2.0}
  %weights = softmax %scores {dim = -1}
  %y = matmul %weights, %v
  return %y
}
// CHECK-LABEL: func @both_factors
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v {safe = false, scale = 0.125}
func @both_factors(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %sq = mul %q {other = 0.25}
  %kt = permute %k {dims = [0, 1, 3, 2]}
  %sk = mul %kt {other = 0.5}
  %scores = matmul %sq, %sk
  %weights = softmax %scores {dim = 3}
  %y = matmul %weights, %v
  return %y
}
// CHECK-LABEL: func @keys
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v {safe = false, scale = 0.0625}
func @keys(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %sq = div %q {other = 4.0}
  %sk = mul %k {other = 0.5}
  %dk = div %sk {other = 2.0}
  %kt = transpose %dk {dim0 = -1, dim1 = 2}
  %scores = matmul %sq, %kt
  %weights = softmax %scores {dim = -1}
  %y = matmul %weights, %v
  return %y
}
// Keys that come transposed are transposed back; a softmax in f32 of f16 scores is what attention does.
// CHECK-LABEL: func @wide
// CHECK-NEXT: %[[K:.*]] = transpose %kt {dim0 = -2, dim1 = -1}
// CHECK-NEXT: scaled_dot_product_attention %q, %[[K]], %v {safe = false, scale = 1.0}
func @wide(%q: tensor<[S]x4xf16>, %kt: tensor<4x[T]xf16>, %v: tensor<[T]x4xf16>) -> tensor<[S]x4xf16> {
  %scores = matmul %q, %kt
  %weights = softmax %scores {dim = -1, dtype = f32}
  %narrow = cast %weights {dtype = f16}
  %y = matmul %narrow, %v
  return %y
}
