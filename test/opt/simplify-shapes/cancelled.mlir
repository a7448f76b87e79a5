// A difference of equal sizes depends on no size.
// RUN: mlgc opt %s --simplify-shapes | FileCheck %s
// CHECK: %d = constant {value = dense<0> : tensor<i64>}
func @f(%x: tensor<[B]x[S]xf32>, %y: tensor<[B*S]xf32>) -> tensor<i64> {
  %b = dim [B]
  %s = dim [S]
  %m = mul %b, %s
  %n = dim [B*S]
  %d = sub %m, %n
  return %d
}
