// Products and what follows them become regions of one kernel each; what is read elsewhere stays outside.
// RUN: mlgc opt %s --rules=fuse-linear | FileCheck %s
// RUN: mlgc opt %s --rules=fuse-linear --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// CHECK-LABEL: func @linear_relu
// CHECK: fusion (%1 = %x, %2 = %w, %3 = %b) attributes {kind = "linear-relu"} {
// CHECK-NEXT: linear %1, %2, %3
// CHECK-NEXT: relu
// CHECK-NEXT: yield
// CHECK-LABEL: func @matmul_bias_relu
// CHECK: kind = "matmul-bias-relu"
// CHECK-NEXT: matmul
// CHECK-NEXT: add
// CHECK-NEXT: relu
// CHECK-LABEL: func @addmm_relu
// CHECK: kind = "addmm-relu"
// CHECK-LABEL: func @epilogue
// CHECK: fusion ({{.*}}) attributes {kind = "linear-epilogue"} {
// CHECK-NEXT: matmul
// CHECK-NEXT: mul
// CHECK-NEXT: tanh
// CHECK-NEXT: add
// CHECK-NEXT: yield
// CHECK-LABEL: func @read_twice
// CHECK-NOT: fusion
// RULES-DAG: rule linear-relu: 1
// RULES-DAG: rule matmul-bias-relu: 1
// RULES-DAG: rule addmm-relu: 1
// RULES-DAG: rule linear-epilogue: 1
func @linear_relu(%x: tensor<[B]x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<[B]x2xf32> {
  %0 = linear %x, %w, %b
  %1 = relu %0
  return %1
}
func @matmul_bias_relu(%x: tensor<[B]x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<[B]x2xf32> {
  %0 = matmul %x, %w
  %1 = add %b, %0
  %2 = relu %1
  return %2
}
func @addmm_relu(%x: tensor<[B]x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<[B]x2xf32> {
  %0 = addmm %b, %x, %w {alpha = 2.0}
  %1 = relu %0
  return %1
}
func @epilogue(%x: tensor<[B]x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<[B]x2xf32> {
  %0 = matmul %x, %w
  %1 = mul %0 {other = 0.5}
  %2 = tanh %1
  %3 = add %2, %b
  return %3
}
func @read_twice(%x: tensor<[B]x3xf32>, %w: tensor<3x2xf32>) -> (tensor<[B]x2xf32>, tensor<[B]x2xf32>) {
  %0 = matmul %x, %w
  %1 = relu %0
  return %0, %1
}
