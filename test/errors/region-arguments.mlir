// A region takes what the op gives it: a scan gives slices of its sequences, a fusion its operands.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: region-arguments.mlir:[[#@LINE+5]]:12: error: region `body` of `scan` takes (tensor<4xf32>, tensor<3x4xf32>), expected (tensor<4xf32>, tensor<4xf32>)
// CHECK: region-arguments.mlir:[[#@LINE+10]]:8: error: region `body` of `fusion` takes (tensor<5xf32>), expected (tensor<4xf32>)
// CHECK: region-arguments.mlir:[[#@LINE+15]]:8: error: region `then` of `if` takes (tensor<4xf32>), expected ()
// CHECK: region-arguments.mlir:[[#@LINE+22]]:8: error: region `do` of `while` takes (tensor<5xi64>), expected (tensor<i64>)
func @scan(%h: tensor<4xf32>, %s: tensor<3x4xf32>) {
  %r, %o = scan (%c = %h, %x = %s) attributes {carried = 1} {
    yield %c, %x
  }
  return
}
func @fusion(%h: tensor<4xf32>) {
  %r = fusion %h (%i: tensor<5xf32>) {
    yield %i
  }
  return
}
func @if(%h: tensor<4xf32>, %k: tensor<i1>) {
  %r = if %k (%i: tensor<4xf32>) {
    yield %i
  } else (%i: tensor<4xf32>) {
    yield %i
  }
  return
}
func @while(%n: tensor<i64>, %k: tensor<i1>) {
  %r = while (%i = %n) {
    condition %k, %i
  } do (%j: tensor<5xi64>) {
    yield %n
  }
  return
}
