// Gradients of gradients: a Hessian times a vector is the gradient of the gradient with that vector as its cotangent.
// RUN: mlgc grad %s | mlgc grad - --wrt=x --of=d_x --seed -o %t.mlir
// RUN: mlgc eval %t.mlir --input=x=2xf64=1,2 --input=g_d_x=2xf64=1,0 | FileCheck %s
// CHECK: d_x: 2xf64
// CHECK-NEXT: [ 3.0, 12.0]
// CHECK-NEXT: d_x_2: 2xf64
// CHECK-NEXT: [6.0, 0.0]
func @cubes(%x: tensor<2xf64>) -> tensor<f64> {
  %square = mul %x, %x
  %cube = mul %square, %x
  %y = sum %cube {dim = [0]}
  return %y
}
