// A constant that becomes a weight keeps its value, whatever a weight that nobody reads was called.
// RUN: mlgc eval %s --input=2xf32=1 --random-weights=1 -O2 --backend=cpp | FileCheck %s
// CHECK: [1.0, 2.0]
module {
weight @f.constant0 : tensor<2xf32>
func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : tensor<2xf32>
  %y = exp %x : tensor<2xf32>
  return %c, %y
}
}
