// A size that nothing else tells the backward function comes with an argument that is saved for it; saved values have
// names of their own, and a function that is called as the new one would be is left alone.
// RUN: mlgc grad %s --function=f --mode=split -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: func @f_grad(%x: tensor<2xf32>)
// CHECK: func @f_backward(%saved_x: tensor<[B]xf32>, %g_y: tensor<f32>) -> tensor<[B]xf32>
// RUN: mlgc eval %t.mlir --function=f_backward --input=saved_x=3xf32=1,2,3 --input=g_y=2 | FileCheck %s --check-prefix=VALUES
// VALUES: [2.0, 2.0, 2.0]
// RUN: mlgc grad %s --function=g --mode=split --of=y | FileCheck %s --check-prefix=NAMES
// NAMES: result_names = ["y", "saved_h", "saved_h_2"]
module {
  func @f_grad(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = relu %x
    return %y
  }
  func @f(%x: tensor<[B]xf32>) -> tensor<f32> where 1 <= B {
    %y = sum %x {dim = [0]}
    return %y
  }
  func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
    %h = exp %x
    %r = neg %h
    return %r
  }
  func @g(%x: tensor<4xf32>) -> tensor<4xf32> attributes {result_names = ["y"]} {
    %a = call @twice, %x
    %b = call @twice, %a
    return %b
  }
}
