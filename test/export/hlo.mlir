// The same operations as StableHLO's; reductions call computations.
// RUN: mlgc export %s --to=hlo --dim=B=1 | FileCheck %s
// CHECK: HloModule net
// CHECK-NEXT: // parameter 0: x
// CHECK-NEXT: // parameter 1: @fc.weight
// CHECK-NEXT: // parameter 2: @fc.bias
// CHECK-NEXT: // parameter 3: @count
// CHECK-NEXT: // result 0: h
// CHECK-NEXT: // result 1: where
// CHECK-NEXT: // result 2: @count
// CHECK-EMPTY:
// CHECK-NEXT: %combine {
// CHECK-NEXT:   %p = f32[] parameter(0)
// CHECK-NEXT:   %p.1 = s64[] parameter(1)
// CHECK-NEXT:   %p.2 = f32[] parameter(2)
// CHECK-NEXT:   %p.3 = s64[] parameter(3)
// CHECK-NEXT:   %compare = pred[] compare(%p, %p.2), direction=GT
// CHECK-NEXT:   %compare.1 = pred[] compare(%p, %p), direction=NE
// CHECK-NEXT:   %or = pred[] or(%compare, %compare.1)
// CHECK-NEXT:   %compare.2 = pred[] compare(%p.1, %p.3), direction=LT
// CHECK-NEXT:   %compare.3 = pred[] compare(%p, %p.2), direction=EQ
// CHECK-NEXT:   %and = pred[] and(%compare.3, %compare.2)
// CHECK-NEXT:   %select = f32[] select(%or, %p, %p.2)
// CHECK-NEXT:   %or.1 = pred[] or(%or, %and)
// CHECK-NEXT:   %select.1 = s64[] select(%or.1, %p.1, %p.3)
// CHECK-NEXT:   ROOT %tuple = (f32[], s64[]) tuple(%select, %select.1)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: ENTRY %main {
// CHECK-NEXT:   %x = f32[2,3] parameter(0)
// CHECK-NEXT:   %fc.weight = f32[4,3] parameter(1)
// CHECK-NEXT:   %fc.bias = f32[4] parameter(2)
// CHECK-NEXT:   %count = s64[] parameter(3)
// CHECK-NEXT:   %dot = f32[2,4] dot(%x, %fc.weight), lhs_contracting_dims={1}, rhs_contracting_dims={1}
// CHECK-NEXT:   %broadcast = f32[2,4] broadcast(%fc.bias), dimensions={1}
// CHECK-NEXT:   %add = f32[2,4] add(%dot, %broadcast)
// CHECK-NEXT:   %constant = f32[] constant(0.0)
// CHECK-NEXT:   %constant.1 = f32[2,4] broadcast(%constant), dimensions={}
// CHECK-NEXT:   %h = f32[2,4] maximum(%add, %constant.1)
// CHECK-NEXT:   %iota = s64[2,4] iota(), iota_dimension=1
// CHECK-NEXT:   %constant.2 = f32[] constant(-inf)
// CHECK-NEXT:   %constant.3 = s64[] constant(0)
// CHECK-NEXT:   %results = (f32[2], s64[2]) reduce(%h, %iota, %constant.2, %constant.3), dimensions={1}, to_apply=%combine
// CHECK-NEXT:   %reduce = f32[2] get-tuple-element(%results), index=0
// CHECK-NEXT:   %where = s64[2] get-tuple-element(%results), index=1
// CHECK-NEXT:   %constant.4 = s64[] constant(1)
// CHECK-NEXT:   %n = s64[] add(%count, %constant.4)
// CHECK-NEXT:   ROOT %tuple.1 = (f32[2,4], s64[2], s64[]) tuple(%h, %where, %n)
// CHECK-NEXT: }
module @net {
  weight @fc.weight : tensor<4x3xf32>
  weight @fc.bias : tensor<4xf32>
  state @count : tensor<i64> attributes {initial = 0}
  func @forward(%x: tensor<[2*B]x3xf32>) -> (tensor<[2*B]x4xf32>, tensor<[2*B]xi64>) updates (@count = %n) {
    %w = read @fc.weight
    %b = read @fc.bias
    %0 = linear %x, %w, %b
    %h = relu %0
    %values, %where = max_dim %h {dim = 1}
    %count = read @count
    %n = add %count {other = 1}
    return %h, %where, %n
  }
}
