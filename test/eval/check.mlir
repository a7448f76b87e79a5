// An assertion about sizes or data ends the program with its message where it does not hold.
// RUN: mlgc eval %s --input=x=2xf32=[3.0,4.0] --output=- | FileCheck %s
// RUN: mlgc opt %s -O2 | mlgc eval - --input=x=2xf32=[3.0,4.0] --output=- | FileCheck %s
// RUN: %exits 1 mlgc eval %s --input=x=1xf32=[3.0] 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: %exits 1 mlgc eval %s --input=x=2xf32=[3.0,-4.0] 2>&1 | FileCheck %s --check-prefix=DATA
func @forward(%x: tensor<[N]xf32>) -> tensor<f32> {
  check [N - 2] {message = "at least two"}
  %sum = sum %x : tensor<f32>
  %zero = constant {value = dense<0.0> : tensor<f32>} : tensor<f32>
  %positive = gt %sum, %zero : tensor<i1>
  %truth = cast %positive {dtype = i64} : tensor<i64>
  check [%truth - 1] {message = "the sum is positive"}
  return %sum
}
// CHECK: 7
// SIZE: check.mlir:7:3: error: at least two
// DATA: check.mlir:12:3: error: the sum is positive
