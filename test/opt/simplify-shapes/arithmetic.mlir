// Arithmetic on sizes is a size, in canonical form.
// RUN: mlgc opt %s --simplify-shapes | FileCheck %s
// CHECK: %m = dim [B*S]
// CHECK-NEXT: %n = dim [B*S]
// CHECK-NEXT: %o = dim [B*S + 1]
// CHECK-NEXT: %h = dim [(B*S + 1) floordiv 2]
// CHECK-NEXT: %k = dim [max(B, S)]
func @f(%x: tensor<[B]x[S]xf32>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %b = dim [B]
  %s = dim [S]
  %m = mul %b, %s
  %n = mul %s, %b
  %o = add %n {other = 1}
  %h = floor_divide %o {other = 2}
  %k = maximum %b, %s
  return %m, %h, %k
}
