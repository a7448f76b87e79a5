// The same operations as StableHLO's; reductions call computations.
// RUN: mlgc export %s --to=hlo --dim=B=1 | FileCheck %s
// CHECK: HloModule net
// CHECK-NEXT: // parameter 0: x
// CHECK-NEXT: // parameter 1: @fc.weight
// CHECK-NEXT: // parameter 2: @fc.bias
// CHECK-NEXT: // parameter 3: @count
// CHECK-NEXT: // result 0: y
// CHECK-NEXT: // result 1: @count
// CHECK-EMPTY:
// CHECK-NEXT: %add.1 {
// CHECK-NEXT:   %p = f32[] parameter(0)
// CHECK-NEXT:   %p.1 = f32[] parameter(1)
// CHECK-NEXT:   ROOT %add = f32[] add(%p, %p.1)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: ENTRY %main {
// CHECK-NEXT:   %x = f32[2,3] parameter(0)
// CHECK-NEXT:   %fc.weight = f32[4,3] parameter(1)
// CHECK-NEXT:   %fc.bias = f32[4] parameter(2)
// CHECK-NEXT:   %count = s64[] parameter(3)
// CHECK-NEXT:   %dot = f32[2,4] dot(%x, %fc.weight), lhs_contracting_dims={1}, rhs_contracting_dims={1}
// CHECK-NEXT:   %broadcast = f32[2,4] broadcast(%fc.bias), dimensions={1}
// CHECK-NEXT:   %h = f32[2,4] add(%dot, %broadcast)
// CHECK-NEXT:   %constant = f32[] constant(0.0)
// CHECK-NEXT:   %y = f32[2] reduce(%h, %constant), dimensions={1}, to_apply=%add.1
// CHECK-NEXT:   %constant.1 = s64[] constant(1)
// CHECK-NEXT:   %n = s64[] add(%count, %constant.1)
// CHECK-NEXT:   ROOT %tuple = (f32[2], s64[]) tuple(%y, %n)
// CHECK-NEXT: }
module @net {
  weight @fc.weight : tensor<4x3xf32>
  weight @fc.bias : tensor<4xf32>
  state @count : tensor<i64> attributes {initial = 0}
  func @forward(%x: tensor<[2*B]x3xf32>) -> tensor<[2*B]xf32> updates (@count = %n) {
    %w = read @fc.weight
    %b = read @fc.bias
    %h = linear %x, %w, %b
    %y = sum %h {dim = [1]}
    %count = read @count
    %n = add %count {other = 1}
    return %y, %n
  }
}
