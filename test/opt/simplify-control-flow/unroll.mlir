// Scans are unrolled on request: slices go in, results are stacked, in reverse where the scan runs so.
// RUN: mlgc opt %s --simplify-control-flow=unroll=2 | FileCheck %s
// RUN: mlgc opt %s --simplify-control-flow=unroll=1 | FileCheck %s --check-prefix=LESS
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s --check-prefix=LESS
// LESS: scan
// CHECK-NOT: scan
// CHECK: %[[X1:.*]] = select %xs {dim = 0, index = 1}
// CHECK-NEXT: %[[S1:.*]] = add %h, %[[X1]]
// CHECK-NEXT: %[[X0:.*]] = select %xs {dim = 0, index = 0}
// CHECK-NEXT: %[[S0:.*]] = add %[[S1]], %[[X0]]
// CHECK-NEXT: %[[Y:.*]] = stack %[[S0]], %[[S1]] {dim = 0}
// CHECK-NEXT: return %[[S0]], %[[Y]]
func @f(%h: tensor<4xf32>, %xs: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %r, %ys = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1, reverse = true} {
    %s = add %c, %x
    yield %s, %s
  }
  return %r, %ys
}
