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
// A name with a comma stands in quotes of its own; a flag may be repeated.
// RUN: mlgc grad %s --function=commas --of='"a, b"' --wrt='x,"@w,1"' | FileCheck %s --check-prefix=COMMAS
// RUN: mlgc grad %s --function=commas --of='"a, b"' --wrt=x --wrt='"@w,1"' | FileCheck %s --check-prefix=COMMAS
// RUN: mlgc grad %s --function=commas --of='"a, b"' --wrt='x,"@w,1"' --check --random-inputs=1 --random-weights=1 | FileCheck %s --check-prefix=CHECKED
// COMMAS: func @commas_grad(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>) attributes {result_names = ["a, b", "d_x", "d_w,1"]}
// CHECKED: all agree
// RUN: %exits 2 mlgc grad %s --function=commas --wrt='"@w,1' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: --wrt: the quote is not closed: "@w,1
weight @"w,1" : tensor<4xf32>
weight @"a w" : tensor<4xf32>
func @"my f, {x}"(%x: tensor<4xf32>) -> tensor<f32> attributes {result_names = ["the sum"]} {
  %w = read @"a w" : tensor<4xf32>
  %p = mul %x, %w
  %y = sum %p {dim = [0]}
  return %y
}
func @commas(%x: tensor<4xf32>) -> tensor<f32> attributes {result_names = ["a, b"]} {
  %w = read @"w,1" : tensor<4xf32>
  %p = mul %x, %w
  %y = sum %p {dim = [0]}
  return %y
}
