// A sum of one term of f32 is not rounded, so it needs no f64: the bits are the same, the sign of 0 too.
// RUN: mlgc opt %s --fuse --lower-to-loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=outer --input=x=[-0.0,1.5,nan,-inf] --input=w=[0.0,-3.25,1e-45] --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=outer --input=x=[-0.0,1.5,nan,-inf] --input=w=[0.0,-3.25,1e-45] --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: y: agrees
// CHECK-LABEL: func @outer.0
// CHECK-NOT: f64
// CHECK-LABEL: func @inner.0
// CHECK: literal {dtype = f64
func @outer(%x: tensor<4xf32>, %w: tensor<3xf32>) -> tensor<4x3xf32> {
  %a = view %x {shape = [4, 1]}
  %b = view %w {shape = [3, 1]}
  %y = linear %a, %b
  return %y
}
func @inner(%x: tensor<4x2xf32>, %w: tensor<3x2xf32>) -> tensor<4x3xf32> {
  %y = linear %x, %w
  return %y
}
