// The judge runs the function before and after: a derived weight, a symbolic size and an index within its table.
// RUN: mlgc opt %s --partition=registry=everything --verify-each=numeric 2>&1 | FileCheck %s
// CHECK: checked 1 pass: 1 function, {{[0-9]+}} runs, all agree
// CHECK: segment (
weight @t : tensor<5x2xf32>
func @f(%i: tensor<[N]xi64>) -> tensor<[N]x2xf32> {
  %o = read @t
  %e = embedding %o, %i
  %v = softmax %e {dim = -1}
  return %v
}
