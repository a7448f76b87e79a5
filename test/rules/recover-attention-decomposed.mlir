// What PyTorch makes of scaled_dot_product_attention: the scale on both factors, products of merged batches, heads copied
// for groups of queries, a mask of 0 and -inf, a safe softmax. Where the sum of a mask is a choice needs --numerics=fast.
// RUN: mlgc opt %s --compose-views --canonicalize --rules=recover-attention --canonicalize --dce | FileCheck %s
// RUN: mlgc opt %s --compose-views --canonicalize --rules=recover-attention --canonicalize --dce --numerics=fast | FileCheck %s --check-prefix=FAST
// RUN: mlgc opt %s --compose-views --canonicalize --rules=recover-attention --numerics=fast --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule safe-softmax: 1
// RULES-DAG: rule attention-of-zero-or-hidden: 1
// RULES-DAG: rule attention-shared-keys: 1
// RULES-DAG: rule attention-shared-values: 1
// FAST: scaled_dot_product_attention %q, %k, %v, %c {enable_gqa = true, scale = 0.25}
// CHECK-LABEL: func @grouped
// CHECK-NEXT: %high = constant
// CHECK-NEXT: %low = constant
// CHECK-NEXT: %mask = where %c, %high, %low
// CHECK-NEXT: %y = scaled_dot_product_attention %q, %k, %v, %mask {enable_gqa = true, scale = 0.25}
// CHECK-NEXT: return %y
func @grouped(%q: tensor<[B]x6x[S]x4xf32>, %k: tensor<[B]x3x[T]x4xf32>, %v: tensor<[B]x3x[T]x7xf32>, %c: tensor<[S]x[T]xi1>) -> tensor<[B]x6x[S]x7xf32> {
  %high = constant {value = dense<0.0> : tensor<f32>} : tensor<f32>
  %low = constant {value = dense<0xFF800000> : tensor<f32>} : tensor<f32>
  %mask = "where"(%c, %high, %low) : (tensor<[S]x[T]xi1>, tensor<f32>, tensor<f32>) -> tensor<[S]x[T]xf32>
  %sq = mul %q {other = 0.5}
  %k1 = unsqueeze %k {dim = 2}
  %k2 = expand %k1 {size = [B, 3, 2, T, 4]}
  %k3 = view %k2 {shape = [B, 6, T, 4]}
  %v1 = unsqueeze %v {dim = 2}
  %v2 = expand %v1 {size = [B, 3, 2, T, 7]}
  %v3 = view %v2 {shape = [B, 6, T, 7]}
  %kt = permute %k3 {dims = [0, 1, 3, 2]}
  %sk = mul %kt {other = 0.5}
  %a = view %sq {shape = [6*B, S, 4]}
  %b = view %sk {shape = [6*B, 4, T]}
  %products = matmul %a, %b
  %split = view %products {shape = [B, 6, S, T]}
  %scores = add %split, %mask
  %weights = softmax %scores {dim = -1}
  %hidden = eq %scores {other = 0xFFF0000000000000 : f64}
  %shown = logical_not %hidden
  %some = any %shown {dim = [-1], keepdim = true}
  %none = logical_not %some
  %zeros = full {dtype = f32, size = [B, 6, S, T], value = 0}
  %safe = "where"(%none, %zeros, %weights) : (tensor<[B]x6x[S]x1xi1>, tensor<[B]x6x[S]x[T]xf32>, tensor<[B]x6x[S]x[T]xf32>) -> tensor<[B]x6x[S]x[T]xf32>
  %c1 = view %safe {shape = [6*B, S, T]}
  %d1 = view %v3 {shape = [6*B, T, 7]}
  %merged = matmul %c1, %d1
  %y = view %merged {shape = [B, 6, S, 7]}
  return %y
}
