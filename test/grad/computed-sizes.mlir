// Sizes that an op binds inside of a region get names of their own where the gradient computes the region again.
// RUN: mlgc grad %s --wrt=x -o %t.mlir
// RUN: mlgc eval %t.mlir --input=c=true --input=n=2 --input=x=4xf64=1,2,3,4 | FileCheck %s
// RUN: mlgc eval %t.mlir --input=c=true --input=n=2 --input=x=4xf64=1,2,3,4 --compare=cpp | FileCheck %s --check-prefix=CPP
// CPP: d_x by cpp: agrees
// CHECK: y: f64
// CHECK-NEXT: 5.0
// CHECK-NEXT: d_x: 4xf64
// CHECK-NEXT: [2.0, 4.0, 0.0, 0.0]
func @head(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf64>) -> tensor<f64> {
  %y = if %c {
    %p = range %n : tensor<[u0]xi64> where u0 <= 4
    %h = index_select %x, %p {dim = 0} : tensor<[u0]xf64>
    %t = compute %h {formula = "y[i] = x0[i]*x0[i] over i < [u0]"} : tensor<[u0]xf64>
    %s = sum %t {dim = [0]}
    yield %s
  } else {
    %s = sum %x {dim = [0]}
    yield %s
  }
  return %y
}
