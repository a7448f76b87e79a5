// Integers that come from data, and sizes that become reals, stay what they are.
// RUN: mlgc opt %s --simplify-shapes --statistics -o /dev/null 2>&1 | FileCheck %s
// CHECK: {{^}}unchanged: simplify-shapes{{$}}
func @f(%x: tensor<[B]xf32>, %n: tensor<i64>) -> (tensor<i64>, tensor<f32>) {
  %b = dim [B]
  %s = add %b, %n
  %r = cast %b {dtype = f32}
  %q = sqrt %r
  return %s, %q
}
