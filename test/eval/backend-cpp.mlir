// Emitted C++, compiled, as a back end, with states and new values of inputs; it is compared like any other.
// RUN: mlgc eval %s --input=x=1,2,3,4 --input=p=4xf32=1 --random-weights=1 --backend=cpp --output=y=- | FileCheck %s
// CHECK: y: 4xf32
// CHECK-NEXT: [2.0, 4.0, 6.0, 8.0]
// RUN: mlgc eval %s --random-inputs=1 --random-weights=1 --compare=cpp | FileCheck %s --check-prefix=BOTH
// BOTH-DAG: y by interp: agrees
// BOTH-DAG: y by cpp: agrees
// BOTH-DAG: %p by cpp: agrees
// BOTH-DAG: @total by cpp: agrees
// RUN: %exits 2 mlgc eval %s --random-inputs=1 --backend=cpp --precision=f64 2>&1 | FileCheck %s --check-prefix=JUDGE
// JUDGE: mlgc: error: `--backend=cpp` and `--precision=f64` exclude each other
module {
state @total : tensor<4xf32>
func @step(%x: tensor<4xf32>, %p: tensor<4xf32>) -> (tensor<4xf32>) updates (@total = %t, %p = %q) {
  %s = read @total : tensor<4xf32>
  %t = add %s, %x : tensor<4xf32>
  %q = add %p, %x : tensor<4xf32>
  %y = add %x, %x : tensor<4xf32>
  return %y, %t, %q
}
}
