// Sizes that leave 64 bits are no sizes: nothing wraps around.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: bad-extent.mlir:[[#@LINE+4]]:8: error: dimension `d0` comes out as <overflow>
// CHECK: bad-extent.mlir:[[#@LINE+4]]:8: error: dimension `d0` comes out as <overflow>
// CHECK: bad-extent.mlir:[[#@LINE+4]]:8: error: dimension `B[0]` comes out as -4
func @f(%x: tensor<4xi64>) {
  %a = repeat %x {repeats = [4611686018427387904]}
  %b = repeat %x {repeats = [3000000000000000000]}
  %c = full {size = [-4], value = 1.0, dtype = f32}
  return
}
