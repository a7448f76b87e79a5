// An axis that is added and then repeated is one expand.
// RUN: mlgc opt %s --compose-views --dce | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: %b = expand %x {size = [7, B, 4]}
func @f(%x: tensor<[B]x4xf32>) -> tensor<7x[B]x4xf32> {
  %a = unsqueeze %x {dim = 0}
  %b = expand %a {size = [7, B, 4]}
  return %b
}
