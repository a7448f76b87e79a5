// Names that pipeline text has to quote: of functions, results, arguments and weights.
// RUN: mlgc grad %s --function="my f, {x}" --of="the sum" --wrt="x,@a w" | FileCheck %s
// CHECK: func @"my f, {x}_grad"(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>) attributes {result_names = ["the sum", "d_x", "d_a w"]}
// RUN: mlgc grad %s --function="my f, {x}" --of="the sum" --mode=split | FileCheck %s --check-prefix=SPLIT
// SPLIT: func @"my f, {x}_forward"
// SPLIT: func @"my f, {x}_backward"
// RUN: mlgc grad %s --function="my f, {x}" --of="the sum" --mode=jvp --name="a, b" | FileCheck %s --check-prefix=JVP
// JVP: func @"a, b"
// RUN: mlgc grad %s --function="my f, {x}" --of="the sum" --loss=mse --step=sgd --name="one step" | FileCheck %s --check-prefix=STEP
// STEP: func @"one step"
weight @"a w" : tensor<4xf32>
func @"my f, {x}"(%x: tensor<4xf32>) -> tensor<f32> attributes {result_names = ["the sum"]} {
  %w = read @"a w" : tensor<4xf32>
  %p = mul %x, %w
  %y = sum %p {dim = [0]}
  return %y
}
