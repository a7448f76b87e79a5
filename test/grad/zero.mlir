// A gradient that is zero since no gradient passes somewhere is a warning that says where.
// RUN: mlgc grad %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// CHECK: %d_unused = constant {value = dense<0.0> : tensor<f32>} : tensor<f32>
// SAID: zero.mlir:[[#@LINE+6]]:1: warning: the gradient of y with respect to x is zero: nothing differentiable leads there
// SAID-NEXT: func @f
// SAID-NEXT: ^
// SAID-NEXT: zero.mlir:[[#@LINE+4]]:8: note: no gradient passes `argmax`
// SAID: warning: the gradient of y with respect to unused is zero: nothing differentiable leads there

func @f(%x: tensor<4xf32>, %z: tensor<f32>, %unused: tensor<f32>) -> tensor<f32> {
  %i = argmax %x {dim = 0}
  %p = cast %i {dtype = f32}
  %y = mul %p, %z
  return %y
}
