// How many ops unrolling may copy is limited, and what was left is counted.
// RUN: mlgc opt %s '--simplify-control-flow=unroll=8 max-ops=4' --statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: %exits 2 mlgc opt %s --simplify-control-flow=unroll=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// CHECK: simplify-control-flow{unroll=8 max-ops=4}: unchanged
// CHECK: loops-over-limit: 1
// NEGATIVE: mlgc: error: option `unroll` of pass `simplify-control-flow`: must be at least 0
func @f(%h: tensor<4xf32>, %xs: tensor<2x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %s = add %c, %x
    yield %s
  }
  return %r
}
