// Values and results are called what the function that calls says: also what a callee gives back as it is, or twice.
// RUN: mlgc opt %s --inline | FileCheck %s
// CHECK: func @f(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {result_names = ["loss", "same", "again", "result3"]} {
// CHECK-NEXT: %loss = exp %a
// CHECK-NEXT: %0 = neg %loss
// CHECK-NEXT: return %loss, %a, %loss, %0
// CHECK: func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %total = exp %a
// CHECK-NEXT: return %total
// A fusion that is taken apart, too.
// RUN: mlgc opt %s --inline --fuse --inline=fusions=true | FileCheck %s --check-prefix=APART
// APART: func @g
// APART: %total = exp
func @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = exp %x
  %0 = neg %y
  return %y, %x, %y, %0
}
func @f(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %loss, %same, %again, %3 = call @two, %a
  return %loss, %same, %again, %3
}
func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = exp %x
  return %y
}
func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %total = call @one, %a
  return %total
}
