// Registers are transposed as a whole: a square of a constant size, where it is allocated.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
func @f(%x: buffer<8x8xf32, argument>) {
  // CHECK: error: `x` is not transposed in place: it is not an `alloc` in scope register
  // CHECK: note: allocate N by N elements in scope register, N a power of two, in the region where they are transposed; or write the elements of another buffer one by one
  transpose_in_place %x
  %t = alloc : buffer<8x8xf32, thread>
  // CHECK: error: `t` is not transposed in place: it is not an `alloc` in scope register
  transpose_in_place %t
  %oblong = alloc : buffer<4x8xf32, register>
  // CHECK: error: `oblong` is not transposed in place: it is not a square of a constant size that is a power of two
  transpose_in_place %oblong
  %odd = alloc : buffer<6x6xf32, register>
  // CHECK: error: `odd` is not transposed in place: it is not a square of a constant size that is a power of two
  transpose_in_place %odd
  %cube = alloc : buffer<4x4x4xf32, register>
  // CHECK: error: `cube` is not transposed in place: it is not a square of a constant size that is a power of two
  transpose_in_place %cube
  %outer = alloc : buffer<4x4xf32, register>
  for [0, 2] (%i: index) {
    // CHECK: error: `outer` is not transposed in place: its `alloc` is in another region
    transpose_in_place %outer
  }
  return
}
