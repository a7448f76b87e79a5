// Computations of control flow take what they read as a tuple.
// RUN: mlgc export %s --to=hlo --dim=T=3 | FileCheck %s
// CHECK: HloModule model
// CHECK-NEXT: // parameter 0: a
// CHECK-NEXT: // parameter 1: h0
// CHECK-NEXT: // parameter 2: xs
// CHECK-NEXT: // result 0: last
// CHECK-NEXT: // result 1: h
// CHECK-NEXT: // result 2: hs
// CHECK-EMPTY:
// CHECK-NEXT: %then {
// CHECK-NEXT:   %arguments = (f32[]) parameter(0)
// CHECK-NEXT:   %item = f32[] get-tuple-element(%arguments), index=0
// CHECK-NEXT:   %constant.1 = f32[] constant(0.5)
// CHECK-NEXT:   %half = f32[] multiply(%item, %constant.1)
// CHECK-NEXT:   ROOT %tuple = (f32[]) tuple(%half)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %otherwise {
// CHECK-NEXT:   %arguments.1 = (f32[]) parameter(0)
// CHECK-NEXT:   %item.1 = f32[] get-tuple-element(%arguments.1), index=0
// CHECK-NEXT:   ROOT %tuple.1 = (f32[]) tuple(%item.1)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %condition {
// CHECK-NEXT:   %arguments.2 = (f32[]) parameter(0)
// CHECK-NEXT:   %item.2 = f32[] get-tuple-element(%arguments.2), index=0
// CHECK-NEXT:   %constant.2 = f32[] constant(0.1)
// CHECK-NEXT:   ROOT %go = pred[] compare(%constant.2, %item.2), direction=LT
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %body {
// CHECK-NEXT:   %arguments.3 = (f32[]) parameter(0)
// CHECK-NEXT:   %item.3 = f32[] get-tuple-element(%arguments.3), index=0
// CHECK-NEXT:   %constant.3 = f32[] constant(0.5)
// CHECK-NEXT:   %half_1 = f32[] multiply(%item.3, %constant.3)
// CHECK-NEXT:   ROOT %tuple.2 = (f32[]) tuple(%half_1)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %condition.1 {
// CHECK-NEXT:   %arguments.4 = (s64[], f32[4], f32[3,4], f32[3,4], s64[]) parameter(0)
// CHECK-NEXT:   %item.4 = s64[] get-tuple-element(%arguments.4), index=0
// CHECK-NEXT:   %item.5 = f32[4] get-tuple-element(%arguments.4), index=1
// CHECK-NEXT:   %item.6 = f32[3,4] get-tuple-element(%arguments.4), index=2
// CHECK-NEXT:   %item.7 = f32[3,4] get-tuple-element(%arguments.4), index=3
// CHECK-NEXT:   %item.8 = s64[] get-tuple-element(%arguments.4), index=4
// CHECK-NEXT:   %constant.7 = s64[] constant(3)
// CHECK-NEXT:   ROOT %compare = pred[] compare(%item.4, %constant.7), direction=LT
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %body.1 {
// CHECK-NEXT:   %arguments.5 = (s64[], f32[4], f32[3,4], f32[3,4], s64[]) parameter(0)
// CHECK-NEXT:   %item.9 = s64[] get-tuple-element(%arguments.5), index=0
// CHECK-NEXT:   %item.10 = f32[4] get-tuple-element(%arguments.5), index=1
// CHECK-NEXT:   %item.11 = f32[3,4] get-tuple-element(%arguments.5), index=2
// CHECK-NEXT:   %item.12 = f32[3,4] get-tuple-element(%arguments.5), index=3
// CHECK-NEXT:   %item.13 = s64[] get-tuple-element(%arguments.5), index=4
// CHECK-NEXT:   %constant.8 = s64[] constant(2)
// CHECK-NEXT:   %subtract = s64[] subtract(%constant.8, %item.9)
// CHECK-NEXT:   %dynamic-slice = f32[1,4] dynamic-slice(%item.12, %subtract, %item.13), dynamic_slice_sizes={1,4}
// CHECK-NEXT:   %reshape = f32[4] reshape(%dynamic-slice)
// CHECK-NEXT:   %next = f32[4] add(%reshape, %item.10)
// CHECK-NEXT:   %constant.9 = s64[] constant(1)
// CHECK-NEXT:   %add = s64[] add(%item.9, %constant.9)
// CHECK-NEXT:   %reshape.1 = f32[1,4] reshape(%next)
// CHECK-NEXT:   %dynamic-update-slice = f32[3,4] dynamic-update-slice(%item.11, %reshape.1, %subtract, %item.13)
// CHECK-NEXT:   ROOT %tuple.3 = (s64[], f32[4], f32[3,4], f32[3,4], s64[]) tuple(%add, %next, %dynamic-update-slice, %item.12, %item.13)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: ENTRY %main {
// CHECK-NEXT:   %a = f32[] parameter(0)
// CHECK-NEXT:   %h0 = f32[4] parameter(1)
// CHECK-NEXT:   %xs = f32[3,4] parameter(2)
// CHECK-NEXT:   %constant = f32[] constant(1.0)
// CHECK-NEXT:   %big = pred[] compare(%constant, %a), direction=LT
// CHECK-NEXT:   %given = (f32[]) tuple(%a)
// CHECK-NEXT:   %given.1 = (f32[]) tuple(%a)
// CHECK-NEXT:   %results = (f32[]) conditional(%big, %given, %given.1), true_computation=%then, false_computation=%otherwise
// CHECK-NEXT:   %b = f32[] get-tuple-element(%results), index=0
// CHECK-NEXT:   %given.2 = (f32[]) tuple(%b)
// CHECK-NEXT:   %results.1 = (f32[]) while(%given.2), condition=%condition, body=%body
// CHECK-NEXT:   %last = f32[] get-tuple-element(%results.1), index=0
// CHECK-NEXT:   %constant.4 = s64[] constant(0)
// CHECK-NEXT:   %constant.5 = f32[] constant(0.0)
// CHECK-NEXT:   %constant.6 = f32[3,4] broadcast(%constant.5), dimensions={}
// CHECK-NEXT:   %given.3 = (s64[], f32[4], f32[3,4], f32[3,4], s64[]) tuple(%constant.4, %h0, %constant.6, %xs, %constant.4)
// CHECK-NEXT:   %results.2 = (s64[], f32[4], f32[3,4], f32[3,4], s64[]) while(%given.3), condition=%condition.1, body=%body.1
// CHECK-NEXT:   %while = s64[] get-tuple-element(%results.2), index=0
// CHECK-NEXT:   %h = f32[4] get-tuple-element(%results.2), index=1
// CHECK-NEXT:   %hs = f32[3,4] get-tuple-element(%results.2), index=2
// CHECK-NEXT:   ROOT %tuple.4 = (f32[], f32[4], f32[3,4]) tuple(%last, %h, %hs)
// CHECK-NEXT: }
func @half(%x: tensor<f32>) -> tensor<f32> {
  %half = mul %x {other = 0.5}
  return %half
}
func @main(%a: tensor<f32>, %h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<[T]x4xf32>) {
  %big = gt %a {other = 1.0}
  %b = if %big {
    %0 = call @half, %a
    yield %0
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %0 = call @half, %d
    yield %0
  }
  %h, %hs = scan %h0, %xs (%state: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1, reverse = true} {
    %next = add %x, %state
    yield %next, %next
  }
  return %last, %h, %hs
}
