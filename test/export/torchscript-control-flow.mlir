// Branches are prim::If; a loop is prim::Loop, whose block tests and then goes on or not.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=torchscript | FileCheck %s --strict-whitespace
// CHECK: {{^}}graph(%self : __torch__.Model,{{$}}
// CHECK-NEXT: {{^}}      %a : Float(),{{$}}
// CHECK-NEXT: {{^}}      %on : Bool()):{{$}}
// CHECK-NEXT: {{^}}  %b : Float() = prim::If(%on){{$}}
// CHECK-NEXT: {{^}}    block0():{{$}}
// CHECK-NEXT: {{^}}      %mul : Float() = aten::mul.Scalar(%a, other=0.5){{$}}
// CHECK-NEXT: {{^}}      -> (%mul){{$}}
// CHECK-NEXT: {{^}}    block1():{{$}}
// CHECK-NEXT: {{^}}      -> (%a){{$}}
// CHECK-NEXT: {{^}}  %last : Float() = prim::Loop(9223372036854775807, True, %b){{$}}
// CHECK-NEXT: {{^}}    block0(%i : int, %c : Float()):{{$}}
// CHECK-NEXT: {{^}}      %go : Bool() = aten::gt.Scalar(%c, other=0.1){{$}}
// CHECK-NEXT: {{^}}      %d.i : Float() = prim::If(%go){{$}}
// CHECK-NEXT: {{^}}        block0():{{$}}
// CHECK-NEXT: {{^}}          %d : Float() = aten::alias(%c){{$}}
// CHECK-NEXT: {{^}}          %mul_1 : Float() = aten::mul.Scalar(%d, other=0.5){{$}}
// CHECK-NEXT: {{^}}          -> (%mul_1){{$}}
// CHECK-NEXT: {{^}}        block1():{{$}}
// CHECK-NEXT: {{^}}          -> (%c){{$}}
// CHECK-NEXT: {{^}}      -> (%go, %d.i){{$}}
// CHECK-NEXT: {{^}}  return (%last){{$}}
func @main(%a: tensor<f32>, %on: tensor<i1>) -> tensor<f32> {
  %b = if %on {
    %0 = mul %a {other = 0.5}
    yield %0
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %0 = mul %d {other = 0.5}
    yield %0
  }
  return %last
}
