// A limit of memory by hand: for the sizes that it says, else the upper ends of their ranges. There is no saying what a
// call takes at any size.
// RUN: %exits 5 mlgc opt %s --to=plan 2>&1 | FileCheck %s
// CHECK: [[#@LINE+15]]:1: error: `@ranged` takes 64 KiB for temporaries with B = 256, more than its `memory_limit` of 63.9 KiB
// CHECK: [[#@LINE+15]]:8: note: `a`, 64 KiB, is alive at the peak, launch @ranged.0.matmul
// CHECK: note: state `memory_limit = 65536`, or smaller sizes in `memory_limit_sizes`; `mlgc grad --memory-limit` finds a plan within a limit for the passes of -O2 and --numerics=like-eager
// CHECK-NOT: error
// CHECK: [[#@LINE+16]]:1: error: the `memory_limit` of `@open` cannot be compared with its memory plan: the size of `B` is not known
// CHECK: note: give sizes that `where` admits, among them each without an upper limit: `memory_limit_sizes = ["B=64"]`, or --dim=B=64 with --memory-limit
// CHECK-NOT: error
// CHECK: [[#@LINE+18]]:1: error: the `memory_limit` of `@outside` cannot be compared with its memory plan: `@outside` wants B <= 256
// CHECK-NOT: error
// CHECK: [[#@LINE+21]]:1: warning: `memory_limit_sizes` gives `C`, and `@said` has no such size
// CHECK: note: leave it out
// CHECK-NOT: error
// CHECK: [[#@LINE+23]]:1: warning: values whose sizes the call computes count as empty: i, a, m
// CHECK: note: say what such a size shall be: `memory_limit_sizes = ["u0=64"]`
// CHECK-NOT: error
func @ranged(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> tensor<[B]x64xf32> where B <= 256 attributes {memory_limit = 65400} {
  %a = matmul %x, %w
  %y = matmul %a, %w
  return %y
}
func @open(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> tensor<[B]x64xf32> attributes {memory_limit = 65536} {
  %a = matmul %x, %w
  %y = matmul %a, %w
  return %y
}
func @outside(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> tensor<[B]x64xf32> where B <= 256 attributes {memory_limit = 65536, memory_limit_sizes = ["B=257"]} {
  %a = matmul %x, %w
  %y = matmul %a, %w
  return %y
}
func @said(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> tensor<[B]x64xf32> attributes {memory_limit = 65536, memory_limit_sizes = ["B=256", "C=4"]} {
  %a = matmul %x, %w
  %y = matmul %a, %w
  return %y
}
func @computed(%x: tensor<1000x4xf32>, %w: tensor<4x4xf32>) -> tensor<[u0]x4xf32> attributes {memory_limit = 65536} {
  %i = nonzero %x : tensor<[u0]x2xi64>
  %r = select %i {dim = 1, index = 0}
  %a = index_select %x, %r {dim = 0}
  %m = matmul %a, %w
  %y = matmul %m, %w
  return %y
}
