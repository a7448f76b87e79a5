// Iterations that store at quotient and remainder of their index are independent, also where some places are mirrored;
// those of which a quotient and a remainder leave elements in common are not.
// RUN: mlgc opt %s | FileCheck %s
// RUN: sed 's/%i mod 8/%i mod 4/' %s > %t.mlir
// RUN: %exits 1 mlgc opt %t.mlir 2>&1 | FileCheck %s --check-prefix=MEET
func @f(%x: buffer<64xf32, argument>, %y: buffer<8x2x8xf32, argument>) {
  for [0, 64] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i] : f32
    store %0, %y[%i floordiv 8, 0, %i mod 8]
    store %0, %y[%i floordiv 8, 1, 7 - (%i mod 8)]
  }
  return
}
// CHECK: store %0, %y[%i floordiv 8, 1, -(%i mod 8) + 7]
// MEET: error: iterations of the parallel loop over `%i` are not shown to be independent in `y`
// MEET: note: make the loop serial, or let a subscript be the same multiple of `%i` in all accesses, plus less than that multiple
