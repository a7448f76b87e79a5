// An op that only a region reads ends the way of a gradient as well.
// RUN: mlgc grad %s 2>&1 >/dev/null | FileCheck %s
// CHECK: zero-inside.mlir:[[#@LINE+3]]:3: warning: the gradient of y with respect to x is zero: nothing differentiable leads there
// CHECK: zero-inside.mlir:[[#@LINE+3]]:10: note: no gradient passes `cast`
module {
  func @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<f32> {
    %i = cast %x {dtype = i64}
    %b = if %c {
      %z = cast %i {dtype = f32}
      %e = exp %z
      yield %e
    } else {
      %z = cast %i {dtype = f32}
      yield %z
    }
    %y = sum %b {dim = [0]}
    return %y
  }
}
