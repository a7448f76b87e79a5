// What a loop reads of the values around it is carried, too.
// RUN: mlgc export %s --to=hlo | FileCheck %s
// CHECK: HloModule model
// CHECK-NEXT: // parameter 0: a
// CHECK-NEXT: // parameter 1: step
// CHECK-NEXT: // result 0: last
// CHECK-EMPTY:
// CHECK-NEXT: %condition {
// CHECK-NEXT:   %arguments = (f32[], f32[]) parameter(0)
// CHECK-NEXT:   %item = f32[] get-tuple-element(%arguments), index=0
// CHECK-NEXT:   %item.1 = f32[] get-tuple-element(%arguments), index=1
// CHECK-NEXT:   %constant = f32[] constant(0.1)
// CHECK-NEXT:   ROOT %go = pred[] compare(%constant, %item), direction=LT
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %body {
// CHECK-NEXT:   %arguments.1 = (f32[], f32[]) parameter(0)
// CHECK-NEXT:   %item.2 = f32[] get-tuple-element(%arguments.1), index=0
// CHECK-NEXT:   %item.3 = f32[] get-tuple-element(%arguments.1), index=1
// CHECK-NEXT:   %less = f32[] multiply(%item.2, %item.3)
// CHECK-NEXT:   ROOT %tuple = (f32[], f32[]) tuple(%less, %item.3)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: ENTRY %main {
// CHECK-NEXT:   %a = f32[] parameter(0)
// CHECK-NEXT:   %step = f32[] parameter(1)
// CHECK-NEXT:   %given = (f32[], f32[]) tuple(%a, %step)
// CHECK-NEXT:   %results = (f32[], f32[]) while(%given), condition=%condition, body=%body
// CHECK-NEXT:   %last = f32[] get-tuple-element(%results), index=0
// CHECK-NEXT:   ROOT %tuple.1 = (f32[]) tuple(%last)
// CHECK-NEXT: }
func @main(%a: tensor<f32>, %step: tensor<f32>) -> tensor<f32> {
  %last = while (%c = %a) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %less = mul %d, %step
    yield %less
  }
  return %last
}
