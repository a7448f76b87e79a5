// Sizes that leave 64 bits are no sizes: nothing wraps around.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: bad-extent.mlir:[[#@LINE+5]]:8: error: dimension `d0` comes out as <overflow>
// CHECK: bad-extent.mlir:[[#@LINE+5]]:8: error: dimension `d0` comes out as <overflow>
// CHECK: bad-extent.mlir:[[#@LINE+5]]:8: error: dimension `B[0]` comes out as -4
// CHECK: bad-extent.mlir:[[#@LINE+5]]:8: error: dimension `h` comes out as a division by 0, or something that is no size
func @f(%x: tensor<4xi64>, %y: tensor<1x1x3xf32>) {
  %a = repeat %x {repeats = [4611686018427387904]}
  %b = repeat %x {repeats = [3000000000000000000]}
  %c = full {size = [-4], value = 1.0, dtype = f32}
  %d = avg_pool1d %y {kernel_size = [2], stride = [0]}
  return
}
