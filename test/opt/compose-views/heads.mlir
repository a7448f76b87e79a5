// Heads of attention that are split off and joined again without work between are nothing; split off, they are two ops.
// RUN: mlgc opt %s --compose-views --dce | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: %h = view %t {shape = [B, S, 12, 64]}
// CHECK-NEXT: %p = transpose %h {dim0 = 1, dim1 = 2}
// CHECK-NEXT: return %p, %t
func @f(%t: tensor<[B]x[S]x768xf32>) -> (tensor<[B]x12x[S]x64xf32>, tensor<[B]x[S]x768xf32>) {
  %h = view %t {shape = [B, S, 12, 64]}
  %p = transpose %h {dim0 = 1, dim1 = 2}
  %q = transpose %p {dim0 = 1, dim1 = 2}
  %v = view %q {shape = [B*S, 768]}
  %w = view %v {shape = [B, S, 768]}
  return %p, %w
}
