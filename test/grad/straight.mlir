// Reverse mode over a layer: gradients are results behind those of the function, in the order of its arguments.
// RUN: mlgc grad %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlgc eval %t.mlir --dim=B=2 --random-inputs=1 --compare=cpp,torch | FileCheck %s --check-prefix=AGREES
// CHECK: func @layer_grad(%x: tensor<[B]x4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>)
// CHECK-SAME: -> (tensor<f32>, tensor<[B]x4xf32>, tensor<3x4xf32>, tensor<3xf32>)
// CHECK-SAME: result_names = ["loss", "d_x", "d_w", "d_b"]
// CHECK: return %loss, %d_x, %d_w, %d_b
// AGREES-COUNT-4: by cpp: agrees
// AGREES-COUNT-4: by torch: agrees
func @layer(%x: tensor<[B]x4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<f32> where 1 <= B {
  %y = linear %x, %w, %b
  %h = tanh %y
  %loss = mean %h {dim = [0, 1]}
  return %loss
}
