// The sizes in the text of a formula become the caller's too, and letters give way to them.
// RUN: mlgc opt %s --inline | FileCheck %s
// CHECK: func @f(%a: tensor<[i]x[2*i]xf32>)
// CHECK: compute %a {formula = "y[i_1, j] = x0[i_1, j] / (2*i) over i_1 < [i], j < [2*i]"} : tensor<[i]x[2*i]xf32>
module {
  func @mean(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> {
    %0 = compute %x {formula = "y[i, j] = x0[i, j] / real(N) over i < [B], j < [N]"} : tensor<[B]x[N]xf32>
    return %0
  }
  func @f(%a: tensor<[i]x[2*i]xf32>) -> tensor<[i]x[2*i]xf32> {
    %0 = call @mean, %a
    return %0
  }
}
