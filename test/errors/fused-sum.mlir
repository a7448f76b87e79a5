// Only a sum of f32 takes in a product before it is rounded, and says which operand that is.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
func @f(%a: buffer<8xf32, argument>, %d: buffer<8xf64, argument>, %y: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %0 = load %a[%i]
    %1 = mul %0, %0
    // CHECK: error: `loop.fused` on `add` names no product of f32 that is added in f32
    // CHECK: note: give the number of the operand that a `mul` of f32 gives, to an `add` of f32, or leave `loop.fused` out
    %2 = add %1, %0 {loop.fused = 1}
    // CHECK: error: `loop.fused` on `sub` names no product of f32 that is added in f32
    %3 = sub %0, %1 {loop.fused = 1}
    %4 = load %d[%i]
    %5 = mul %4, %4
    // CHECK: error: `loop.fused` on `add` names no product of f32 that is added in f32
    %6 = add %4, %5 {loop.fused = 1}
    // What a row is told to do more than its op's name says, a fused sum does not.
    // CHECK: error: `loop.fused` on `add` names no product of f32 that is added in f32
    %7 = add %0, %1 {alpha = 3.0, loop.fused = 1}
    store %2, %y[%i]
  }
  return
}
