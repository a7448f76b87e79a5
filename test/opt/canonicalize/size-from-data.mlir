// An op that gives a size its name stays where only types speak of the size.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: nonzero %x
// CHECK: constant {value = dense<true> : tensor<[u0]x2xi1>}
func @f(%x: tensor<4x3xf32>) -> tensor<i64> {
  %p = nonzero %x : tensor<[u0]x2xi64>
  %e = eq %p, %p
  %n = sum %e
  return %n
}
