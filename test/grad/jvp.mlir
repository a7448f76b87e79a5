// Forward mode: a tangent for each value as an argument, the derivatives along them as results.
// RUN: mlgc grad %s --mode=jvp -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: func @f_jvp(%x: tensor<2xf64>, %w: tensor<f64>, %t_x: tensor<2xf64>, %t_w: tensor<f64>) -> (tensor<2xf64>, tensor<i64>, tensor<2xf64>)
// CHECK-SAME: result_names = ["y", "n", "t_y"]
// d(x*x*w) = 2*x*w*t_x + x*x*t_w.
// RUN: mlgc eval %t.mlir --input=x=2xf64=1,2 --input=w=3 --input=t_x=2xf64=1,0 --input=t_w=1 | FileCheck %s --check-prefix=VALUES
// RUN: mlgc eval %t.mlir --input=x=2xf64=1,2 --input=w=3 --input=t_x=2xf64=1,0 --input=t_w=1 --compare=cpp | FileCheck %s --check-prefix=CPP
// VALUES: t_y: 2xf64
// VALUES-NEXT: [7.0, 4.0]
// CPP: t_y by cpp: agrees
func @f(%x: tensor<2xf64>, %w: tensor<f64>) -> (tensor<2xf64>, tensor<i64>) {
  %square = mul %x, %x
  %y = mul %square, %w
  %n = argmax %x {dim = 0}
  return %y, %n
}
