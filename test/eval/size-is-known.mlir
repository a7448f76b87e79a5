// --dim and a stated shape contradict each other.
// RUN: %exits 1 mlgc eval %s --dim=B=4 --input=s=1 --input=x=2x2xf32=1 2>&1 | FileCheck %s
// RUN: %exits 1 mlgc eval %s --dim=B=4 --input=s=1 --input=x=2x2xf32=1 --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "kind":"size-is-known"
// CHECK: mlgc: error: argument `x` is tensor<[B]x2xf32>, the value given is 2x2xf32
// CHECK-NEXT: mlgc: note: `B` is 4
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
