// A member of an archive that no argument is called like is said to be unused.
// RUN: mlgc eval %s --function=make --output=@%t.npz
// RUN: mlgc eval %s --function=f --input=@%t.npz --input=s=1 2>&1 | FileCheck %s
// CHECK: mlgc: warning: `{{[^ ]*}}.tmp.npz` has `z`, which is no argument of `@f`
// CHECK-NEXT: y: 1x2xf32
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
func @make() -> (tensor<1x2xf32>, tensor<f32>) {
  %x = constant {value = dense<1.0> : tensor<1x2xf32>}
  %z = constant {value = dense<2.0> : tensor<f32>}
  return %x, %z
}
