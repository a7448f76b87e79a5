// A loss comes first, the results of the function stay behind it, and the target is the last argument. Classes stand on
// axis 1, or on the only one.
// RUN: mlgc grad %s --function=scores --loss=cross_entropy --wrt=x -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlgc eval %t.mlir --function=scores_grad --dim=B=2 --random-inputs=1 --compare=cpp,torch | FileCheck %s --check-prefix=AGREES
// CHECK: func @scores_grad(%x: tensor<[B]x3x5xf32>, %target: tensor<[B]x5xi64>)
// CHECK-SAME: -> (tensor<f32>, tensor<[B]x3x5xf32>, tensor<[B]x5xi64>, tensor<[B]x3x5xf32>)
// CHECK-SAME: result_names = ["loss", "y", "best", "d_x"]
// CHECK: %loss = cross_entropy %y, %target : tensor<f32>
// AGREES-COUNT-4: by cpp: agrees
// AGREES-COUNT-4: by torch: agrees
// RUN: mlgc grad %s --function=one --loss=cross_entropy | FileCheck %s --check-prefix=ONE
// ONE: func @one_grad(%target: tensor<4xf32>, %target_2: tensor<i64>)
// ONE: %loss = cross_entropy %target, %target_2 : tensor<f32>
// RUN: mlgc grad %s --function=scores --of=y --loss=mse --wrt=x | FileCheck %s --check-prefix=MSE
// MSE: func @scores_grad(%x: tensor<[B]x3x5xf32>, %target: tensor<[B]x3x5xf32>)
// MSE: %loss = mse_loss %y, %target : tensor<f32>
// With --keep there are both, and nothing of what lies between.
// RUN: mlgc grad %s --function=one --loss=mse --keep | FileCheck %s --check-prefix=KEEP
// KEEP: func @scores(
// KEEP: func @one(%target: tensor<4xf32>) -> tensor<4xf32>
// KEEP-NOT: func @one_loss
// KEEP: func @one_grad(
module {
  func @scores(%x: tensor<[B]x3x5xf32>) -> (tensor<[B]x3x5xf32>, tensor<[B]x5xi64>) where 1 <= B {
    %y = tanh %x
    %best = argmax %y {dim = 1}
    return %y, %best
  }
  func @one(%target: tensor<4xf32>) -> tensor<4xf32> {
    return %target
  }
}
