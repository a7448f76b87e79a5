// Statistics of a batch norm are states that the function updates itself: they go on being updated, beside what is
// trained, and are not trained.
// RUN: mlgc grad %s --loss=cross_entropy --step=adam -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlgc eval %t.mlir --dim=B=4 --random-inputs=1 --random-weights=1 --compare=cpp,torch > %t.txt
// RUN: FileCheck %s --check-prefix=AGREES < %t.txt
// CHECK: func @step(%x: tensor<[B]x3xf32>, %target: tensor<[B]xi64>)
// CHECK-SAME: updates (@mean = %mean_2, @var = %var_2, @scale = %scale_next, @scale.exp_avg = %scale.exp_avg_next, @scale.exp_avg_sq = %scale.exp_avg_sq_next, @adam.step = %adam.step_next)
// AGREES-COUNT-8: by cpp: agrees
// AGREES-COUNT-8: by torch: agrees
module {
  weight @scale : tensor<3xf32>
  state @mean : tensor<3xf32>
  state @var : tensor<3xf32>
  func @forward(%x: tensor<[B]x3xf32>) -> tensor<[B]x3xf32> where 2 <= B updates (@mean = %mean_2, @var = %var_2) {
    %scale = read @scale
    %mean = read @mean
    %var = read @var
    %y, %batch_mean, %batch_scale, %mean_2, %var_2 = batch_norm_train %x, %mean, %var, %scale
    return %y, %mean_2, %var_2
  }
}
