// What was written agrees with itself; another input does not: exit code 4, with the differences on standard output.
// RUN: mlgc eval %s --dim=B=2 --input=x=rand:seed=1 --input=s=3 --output=@%t.npz
// RUN: mlgc eval %s --dim=B=2 --input=x=rand:seed=1 --input=s=3 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: %exits 4 mlgc eval %s --dim=B=2 --input=x=rand:seed=2 --input=s=3 --expect=@%t.npz 2>&1 | FileCheck %s
// SAME: y
// RUN: %exits 4 mlgc eval %s --dim=B=2 --input=x=rand:seed=2 --input=s=3 --expect=@%t.npz --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "kind":"outputs-differ"
// CHECK: y
// CHECK: mlgc: error: 1 of 1 results do not agree with `{{[^ ]*}}.npz`
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
