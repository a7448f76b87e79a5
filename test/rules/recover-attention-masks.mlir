// Masks of attention: sums and choices; rows that are masked as a whole stay NaN (`safe = false`).
// RUN: mlgc opt %s --rules=recover-attention --compose-views --dce | FileCheck %s
// RUN: mlgc opt %s --rules=recover-attention --dce --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule attention: 2
// RULES-DAG: rule attention-with-shown-keys: 4
// RULES-DAG: rule softmax-of-hidden: 1
// RULES-DAG: rule softmax-of-filled: 1
// RULES-DAG: rule softmax-of-baddbmm: 1
// RULES-DAG: rule lower-triangle: 1
// RULES-DAG: rule attention-causal: 1
// RULES-DAG: rule attention-of-zero-or-hidden: 1
// RULES-DAG: rule attention-of-hidden-or-zero: 1
// CHECK-LABEL: func @sum
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v, %b {safe = false, scale = 1.0}
func @sum(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>, %b: tensor<[S]x[T]xf32>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = -2}
  %s = matmul %q, %kt
  %m = add %b, %s
  %w = softmax %m {dim = -1}
  %y = matmul %w, %v
  return %y
}
// CHECK-LABEL: func @shown
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v, %c {safe = false, scale = 0.5}
func @shown(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>, %c: tensor<[S]x[T]xi1>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = -2}
  %s = matmul %q, %kt
  %low = constant {value = dense<0xFF800000> : tensor<f32>} : tensor<f32>
  %t = mul %s {other = 0.5}
  %m = "where"(%c, %t, %low) : (tensor<[S]x[T]xi1>, tensor<[B]x2x[S]x[T]xf32>, tensor<f32>) -> tensor<[B]x2x[S]x[T]xf32>
  %w = softmax %m {dim = -1}
  %y = matmul %w, %v
  return %y
}
// CHECK-LABEL: func @hidden
// CHECK-NEXT: %[[N:.*]] = logical_not %c
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v, %[[N]] {safe = false, scale = 1.0}
func @hidden(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>, %c: tensor<[S]x[T]xi1>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = -2}
  %s = matmul %q, %kt
  %low = constant {value = dense<0xFF800000> : tensor<f32>} : tensor<f32>
  %m = "where"(%c, %low, %s) : (tensor<[S]x[T]xi1>, tensor<f32>, tensor<[B]x2x[S]x[T]xf32>) -> tensor<[B]x2x[S]x[T]xf32>
  %w = softmax %m {dim = -1}
  %y = matmul %w, %v
  return %y
}
// CHECK-LABEL: func @filled
// CHECK-NEXT: %[[N:.*]] = logical_not %c
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v, %[[N]] {safe = false, scale = 1.0}
func @filled(%q: tensor<[B]x2x[S]x4xf32>, %k: tensor<[B]x2x[T]x4xf32>, %v: tensor<[B]x2x[T]x4xf32>, %c: tensor<[S]x[T]xi1>) -> tensor<[B]x2x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = -2}
  %s = matmul %q, %kt
  %m = masked_fill %s, %c {value = 0xFFF0000000000000 : f64}
  %w = softmax %m {dim = -1}
  %y = matmul %w, %v
  return %y
}
// CHECK-LABEL: func @batches
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v, %b {safe = false, scale = 0.5}
func @batches(%q: tensor<[B]x[S]x4xf32>, %k: tensor<[B]x[T]x4xf32>, %v: tensor<[B]x[T]x4xf32>, %b: tensor<[B]x[S]x[T]xf32>) -> tensor<[B]x[S]x4xf32> {
  %kt = transpose %k {dim0 = -1, dim1 = -2}
  %m = baddbmm %b, %q, %kt {alpha = 0.5}
  %w = softmax %m {dim = -1}
  %y = matmul %w, %v
  return %y
}
// CHECK-LABEL: func @causal
// CHECK-NEXT: scaled_dot_product_attention %q, %k, %v {is_causal = true, safe = false, scale = 1.0}
func @causal(%q: tensor<2x[S]x4xf32>, %k: tensor<2x[T]x4xf32>, %v: tensor<2x[T]x4xf32>) -> tensor<2x[S]x4xf32> {
  %low = constant {value = dense<0xFF800000> : tensor<f32>} : tensor<f32>
  %j = arange [T] {dtype = i64}
  %row = unsqueeze %j {dim = 0}
  %i = arange [S] {dtype = i64}
  %column = unsqueeze %i {dim = -1}
  %ahead = sub %row, %column
  %c = le %ahead {other = 0}
  %kt = transpose %k {dim0 = -1, dim1 = -2}
  %s = matmul %q, %kt
  %m = "where"(%c, %s, %low) : (tensor<[S]x[T]xi1>, tensor<2x[S]x[T]xf32>, tensor<f32>) -> tensor<2x[S]x[T]xf32>
  %w = softmax %m {dim = -1}
  %y = matmul %w, %v
  return %y
}
// A sum with 0 and -inf is a choice where scores are finite.
// CHECK-LABEL: func @sums
// CHECK-NEXT: %y = scaled_dot_product_attention %q, %q, %q, %c
// CHECK-NEXT: %[[N:.*]] = logical_not %c
// CHECK-NEXT: %z = scaled_dot_product_attention %y, %q, %q, %[[N]]
func @sums(%q: tensor<[S]x4xf32>, %c: tensor<[S]x[S]xi1>) -> tensor<[S]x4xf32> attributes {numerics = "fast"} {
  %high = constant {value = dense<0.0> : tensor<f32>} : tensor<f32>
  %low = constant {value = dense<0xFF800000> : tensor<f32>} : tensor<f32>
  %shown = "where"(%c, %high, %low) : (tensor<[S]x[S]xi1>, tensor<f32>, tensor<f32>) -> tensor<[S]x[S]xf32>
  %hidden = "where"(%c, %low, %high) : (tensor<[S]x[S]xi1>, tensor<f32>, tensor<f32>) -> tensor<[S]x[S]xf32>
  %y = scaled_dot_product_attention %q, %q, %q, %shown
  %z = scaled_dot_product_attention %y, %q, %q, %hidden
  return %z
}
