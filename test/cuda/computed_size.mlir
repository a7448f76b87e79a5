// A size that a call computes: it is fetched, memory is made for what has it, and kernels go on. emulated_test.py runs what is
// emitted, and lets the fetch fail.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// CHECK: runtime->bind_size(runtime, {{[0-9]+}}, mlgc_fetch(runtime, &count[0]))
func @positive(%x: tensor<[N]x3xf32>) -> (tensor<[h]x2xi64>, tensor<[h]xf32>) {
  %above = gt %x {other = 0.0}
  %at = nonzero %above : tensor<[h]x2xi64>
  %rows = select %at {dim = 1, index = 0}
  %sums = sum %x {dim = [1]}
  %kept = index_select %sums, %rows {dim = 0}
  return %at, %kept
}
