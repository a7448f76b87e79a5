// A stated gradient takes the arguments, then a cotangent for each float result; it returns a gradient for each float
// argument. Sizes may have other names.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: gradient-signature.mlir:[[#@LINE+12]]:1: error: `@short` is the gradient of `@f`, so it is (tensor<[B]xf32>, tensor<i64>, tensor<[B]xf32>) -> tensor<[B]xf32>, not (tensor<4xf32>) -> tensor<4xf32>
// CHECK: note: it takes the arguments of `@f`, then a cotangent for each float result, and returns a gradient for each float argument
// CHECK: :[[#@LINE+13]]:1: error: `@f` is the gradient of `@of_size`, so it is (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, not (tensor<[B]xf32>, tensor<i64>) -> (tensor<[B]xf32>, tensor<i64>)
// CHECK: :[[#@LINE+15]]:1: error: no function, weight or state `@none` before this op
// CHECK: :[[#@LINE+17]]:1: error: `@w` is a weight, expected a func
// CHECK: :[[#@LINE+19]]:1: error: `@itself` is used inside of its own definition
// CHECK: :[[#@LINE+21]]:1: error: `@later` is used before its definition
// CHECK-NOT: {{ error: }}
weight @w : tensor<4xf32>
func @short(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
func @f(%x: tensor<[B]xf32>, %n: tensor<i64>) -> (tensor<[B]xf32>, tensor<i64>) gradient @short {
  return %x, %n
}
func @of_size(%x: tensor<4xf32>) -> tensor<4xf32> gradient @f {
  return %x
}
func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> gradient @none {
  return %x
}
func @of_weight(%x: tensor<4xf32>) -> tensor<4xf32> gradient @w {
  return %x
}
func @itself(%x: tensor<4xf32>) -> tensor<4xf32> gradient @itself {
  return %x
}
func @early(%x: tensor<4xf32>) -> tensor<4xf32> gradient @later {
  return %x
}
func @later(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  return %g
}
