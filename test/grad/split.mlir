// Forward and backward as functions of their own: what is saved is a result of the first and an argument of the second;
// weights are read again, and nothing dead is left in either.
// RUN: mlgc grad %s --mode=split --wrt=x,@w -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: func @layer_forward(%x: tensor<[B]x4xf32>) -> (tensor<[B]x3xf32>, tensor<[B]x3xf32>, tensor<[B]x4xf32>)
// CHECK-SAME: result_names = ["h", "saved_h", "saved_x"]
// CHECK: return %h, %h, %x
// CHECK: func @layer_backward(%saved_h: tensor<[B]x3xf32>, %saved_x: tensor<[B]x4xf32>, %g_h: tensor<[B]x3xf32>)
// CHECK-SAME: -> (tensor<[B]x4xf32>, tensor<3x4xf32>)
// CHECK-SAME: result_names = ["d_x", "d_w"]
// CHECK-NOT: linear
// CHECK: read @w
// Both compute what the joint function does, bit for bit; compiled too.
// RUN: mlgc eval %t.mlir --function=layer_forward --input=x=2x4xf32=1,2,3,4,5,6,7,8 --random-weights=1 --output=@%t.saved.npz
// RUN: mlgc eval %t.mlir --function=layer_backward --input=@%t.saved.npz --input=g_h=2x3xf32=1 --random-weights=1 --output=d_x=@%t.x.npy --output=d_w=@%t.w.npy
// RUN: mlgc grad %s --seed --wrt=x,@w -o %t.joint.mlir
// RUN: mlgc eval %t.joint.mlir --input=x=2x4xf32=1,2,3,4,5,6,7,8 --input=g_h=2x3xf32=1 --random-weights=1 --output=d_x=@%t.jx.npy --output=d_w=@%t.jw.npy
// RUN: cmp %t.x.npy %t.jx.npy
// RUN: cmp %t.w.npy %t.jw.npy
// RUN: mlgc eval %t.mlir --function=layer_backward --input=@%t.saved.npz --input=g_h=2x3xf32=1 --random-weights=1 --compare=cpp | FileCheck %s --check-prefix=CPP
// CPP: d_x by cpp: agrees
// CPP: d_w by cpp: agrees
module {
  weight @w : tensor<3x4xf32>
  func @layer(%x: tensor<[B]x4xf32>) -> tensor<[B]x3xf32> {
    %w = read @w
    %y = linear %x, %w
    %h = tanh %y
    return %h
  }
}
