// A size that only the text of a formula names is told to backward all the same.
// RUN: mlgc grad %s --mode=split --wrt=s -o %t.mlir
// RUN: mlgc eval %t.mlir --function=f_backward --input=saved_x=4xf64=1,2,3,4 --input=g_y=2 | FileCheck %s
// CHECK: d_s: f64
// CHECK-NEXT: 0.5
func @f(%x: tensor<[B]xf64>, %s: tensor<f64>) -> tensor<f64> where 1 <= B {
  %y = compute %s {formula = "y[] = x0[] / real(B) over"} : tensor<f64>
  return %y
}
