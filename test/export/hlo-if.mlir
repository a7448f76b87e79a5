// Computations of branches take what they read as a tuple.
// RUN: mlgc export %s --to=hlo | FileCheck %s
// CHECK: HloModule model
// CHECK-NEXT: // parameter 0: a
// CHECK-NEXT: // parameter 1: on
// CHECK-NEXT: // result 0: b
// CHECK-EMPTY:
// CHECK-NEXT: %then {
// CHECK-NEXT:   %arguments = (f32[]) parameter(0)
// CHECK-NEXT:   %item = f32[] get-tuple-element(%arguments), index=0
// CHECK-NEXT:   %constant = f32[] constant(0.5)
// CHECK-NEXT:   %half = f32[] multiply(%item, %constant)
// CHECK-NEXT:   ROOT %tuple = (f32[]) tuple(%half)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: %otherwise {
// CHECK-NEXT:   %arguments.1 = (f32[]) parameter(0)
// CHECK-NEXT:   %item.1 = f32[] get-tuple-element(%arguments.1), index=0
// CHECK-NEXT:   ROOT %tuple.1 = (f32[]) tuple(%item.1)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: ENTRY %main {
// CHECK-NEXT:   %a = f32[] parameter(0)
// CHECK-NEXT:   %on = pred[] parameter(1)
// CHECK-NEXT:   %given = (f32[]) tuple(%a)
// CHECK-NEXT:   %given.1 = (f32[]) tuple(%a)
// CHECK-NEXT:   %results = (f32[]) conditional(%on, %given, %given.1), true_computation=%then, false_computation=%otherwise
// CHECK-NEXT:   %b = f32[] get-tuple-element(%results), index=0
// CHECK-NEXT:   ROOT %tuple.2 = (f32[]) tuple(%b)
// CHECK-NEXT: }
func @main(%a: tensor<f32>, %on: tensor<i1>) -> tensor<f32> {
  %b = if %on {
    %half = mul %a {other = 0.5}
    yield %half
  } else {
    yield %a
  } : tensor<f32>
  return %b
}
