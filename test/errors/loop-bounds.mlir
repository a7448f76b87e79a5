// A loop has two bounds, a vector loop perhaps a third one, and a region of its index and what it carries.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: loop-bounds.mlir:[[#@LINE+4]]:3: error: attribute `bounds` of `for`: write the first index and the one after the last
// CHECK: loop-bounds.mlir:[[#@LINE+6]]:3: error: region `body` of `for` takes (index, index), expected (index)
// CHECK: loop-bounds.mlir:[[#@LINE+8]]:8: error: region `body` of `for` yields (), expected (f32)
func @f(%x: buffer<4xf32, argument>, %z: f32) {
  for [0] (%i: index) {
    store %z, %x[%i]
  }
  for [0, 4] (%i: index, %j: index) {
    store %z, %x[%i]
  }
  %r = for [0, 4] (%i: index, %s = %z) {
    store %s, %x[%i]
  }
  return
}
