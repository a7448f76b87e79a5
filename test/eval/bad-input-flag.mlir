// A value outside the grammar.
// RUN: %exits 2 mlgc eval %s --input=s=random 2>&1 | FileCheck %s
// RUN: %exits 2 mlgc eval %s --input=s=random --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "kind":"bad-input-flag"
// CHECK: mlgc: error: `--input=s=random`: `random` is no value
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
