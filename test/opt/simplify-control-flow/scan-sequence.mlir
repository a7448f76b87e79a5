// A sequence that nobody reads goes, but not the one that says how long the scan is.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK-LABEL: func @one_read
// CHECK: scan %h, %ys (%c: tensor<4xf32>, %y: tensor<4xf32>)
// CHECK-LABEL: func @none_read
// CHECK: scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>)
// CHECK-LABEL: func @other_length
// CHECK: scan %h, %xs, %ys
func @one_read(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>, %ys: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs, %ys (%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 1} {
    %s = add %c, %y
    yield %s
  }
  return %r
}
func @none_read(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>, %ys: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs, %ys (%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 1} {
    %s = exp %c
    yield %s
  }
  return %r
}
// The two lengths are compared when the scan runs.
func @other_length(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>, %ys: tensor<[U]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs, %ys (%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 1} {
    %s = add %c, %y
    yield %s
  }
  return %r
}
