// A reference that lacks a result.
// RUN: mlgc eval %s --dim=B=1 --random-inputs=1 --output=@%t.npz
// RUN: sed -e 's/%y/%z/g' %s > %t.mlir
// RUN: %exits 4 mlgc eval %t.mlir --dim=B=1 --random-inputs=1 --expect=@%t.npz 2>&1 | FileCheck %s
// CHECK: mlgc: error: the reference `{{[^ ]*}}.tmp.npz` has no tensor for result `z`
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
