// Each of these rules of canonicalize.rules is used once: selves and casts.
// RUN: mlgc opt %s --canonicalize --numerics=fast | FileCheck %s
// RUN: mlgc opt %s --canonicalize --numerics=fast --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule maximum-self: 1
// RULES-DAG: rule minimum-self: 1
// RULES-DAG: rule and-self: 1
// RULES-DAG: rule or-self: 1
// RULES-DAG: rule cast-same: 1
// RULES-DAG: rule cast-back: 1
// RULES-DAG: rule cast-cast: 1
// RULES-DAG: rule softmax-of-cast: 1
// RULES-DAG: rule full: 1
// RULES-DAG: rule constant-right: 1
// RULES-DAG: rule maximum-constant-right: 1
// RULES-DAG: rule minimum-constant-right: 1
// CHECK-LABEL: func @selves
// CHECK-NEXT: return %x, %x, %k, %k
func @selves(%x: tensor<4xf32>, %k: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
  %a = maximum %x, %x
  %b = minimum %x, %x
  %c = bitwise_and %k, %k
  %d = bitwise_or %k, %k
  return %a, %b, %c, %d
}
// CHECK-LABEL: func @casts
// CHECK-NEXT: %e = cast %h {dtype = f64}
// CHECK-NEXT: return %x, %x, %e
func @casts(%x: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) {
  %a = cast %x {dtype = f32}
  %b = cast %x {dtype = f64}
  %c = cast %b {dtype = f32}
  %d = cast %h {dtype = f32}
  %e = cast %d {dtype = f64}
  return %a, %c, %e
}
// CHECK-LABEL: func @constants
// CHECK: add %x, %k
// CHECK-NEXT: maximum %x, %k
// CHECK-NEXT: minimum %x, %k
func @constants(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %k = constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : tensor<2xf32>
  %a = add %k, %x
  %b = maximum %k, %x
  %c = minimum %k, %x
  return %a, %b, %c
}
// CHECK-LABEL: func @numbers
// CHECK-NEXT: %a = softmax %h {dim = 0, dtype = f32}
// CHECK-NEXT: %[[B:.*]] = constant {value = dense<2> : tensor<[N]xi64>}
// CHECK-NEXT: return %a, %[[B]]
func @numbers(%h: tensor<[N]xf16>) -> (tensor<[N]xf32>, tensor<[N]xi64>) {
  %c = cast %h {dtype = f32}
  %a = softmax %c {dim = 0}
  %b = full {size = [N], value = 2, dtype = i64}
  return %a, %b
}
