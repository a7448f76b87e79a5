// With names only these are taken apart, composite or not; a number that stands for an operand goes into the formula.
// RUN: mlgc opt %s --pass-pipeline='expand{ops=mul}' | FileCheck %s
// RUN: not mlgc opt %s --pass-pipeline='expand{ops=nothing}' 2>&1 | FileCheck %s --check-prefix=ERROR
// CHECK: compute %x {formula = "{{.*}}2.5{{.*}}"} : tensor<4xf32>
// CHECK-NEXT: softmax
// ERROR: mlgc: error: option `ops` of pass `expand`: `nothing` has no formula to expand
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = mul %x {other = 2.5}
  %b = softmax %a {dim = 0}
  return %b
}
