// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s
// CHECK: bind_size
// A size that a call computes: it is fetched, memory is made for what has it, and kernels go on.
func @positive(%x: tensor<[N]x3xf32>) -> (tensor<[h]x2xi64>, tensor<[h]xf32>) {
  %above = gt %x {other = 0.0}
  %at = nonzero %above : tensor<[h]x2xi64>
  %rows = select %at {dim = 1, index = 0}
  %sums = sum %x {dim = [1]}
  %kept = index_select %sums, %rows {dim = 0}
  return %at, %kept
}
