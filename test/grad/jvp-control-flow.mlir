// Tangents are yielded by both sides of an `if`, and carried, read and stacked by loops.
// RUN: mlgc grad %s --mode=jvp -o %t.mlir
// RUN: mlgc eval %t.mlir --input=c=true --input=x=2 --input=t_x=1 --input=xs=3xf64=1,2,3 --input=t_xs=3xf64=0,1,0 --input=a=4 --input=t_a=1 | FileCheck %s
// RUN: mlgc eval %t.mlir --input=c=false --input=x=2 --input=t_x=1 --input=xs=3xf64=1,2,3 --input=t_xs=3xf64=0,1,0 --input=a=4 --input=t_a=1 --compare=cpp | FileCheck %s --check-prefix=CPP
// CHECK: t_choice: f64
// CHECK-NEXT: 4.0
// CHECK: t_last: f64
// CHECK-NEXT: 12.0
// CHECK: t_steps: 3xf64
// CHECK-NEXT: [ 1.0, 4.0, 12.0]
// CHECK: t_root: f64
// CHECK-NEXT: 0.25
// CPP: t_choice by cpp: agrees
// CPP: t_last by cpp: agrees
// CPP: t_steps by cpp: agrees
// CPP: t_root by cpp: agrees
func @all(%c: tensor<i1>, %x: tensor<f64>, %xs: tensor<[T]xf64>, %a: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<[T]xf64>, tensor<f64>) {
  %choice = if %c {
    %s = mul %x, %x
    yield %s
  } else {
    %k = constant {value = dense<1.0> : tensor<f64>}
    yield %k
  }
  %last, %steps = scan %x, %xs (%h: tensor<f64>, %v: tensor<f64>) attributes {carried = 1} {
    %p = mul %h, %v
    yield %p, %p
  }
  %root = while (%r = %a) {
    %square = mul %r, %r
    %error = sub %square, %a
    %size = abs %error
    %more = gt %size {other = 1.0e-12}
    condition %more, %r
  } do (%r: tensor<f64>) {
    %quotient = div %a, %r
    %sum = add %r, %quotient
    %next = mul %sum {other = 0.5}
    yield %next
  }
  return %choice, %last, %steps, %root
}
