// Text like TorchScript's: types with the sizes that are known, numbers where they are used.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=torchscript | FileCheck %s --strict-whitespace
// CHECK: {{^}}graph(%self : __torch__.Model,{{$}}
// CHECK-NEXT: {{^}}      %x : Float(*, 3),{{$}}
// CHECK-NEXT: {{^}}      %on : Bool()):{{$}}
// CHECK-NEXT: {{^}}  %w : Float(4, 3) = prim::GetAttr[name="fc_weight"](%self){{$}}
// CHECK-NEXT: {{^}}  %h : Float(*, 4) = aten::linear(%x, %w, bias=None){{$}}
// CHECK-NEXT: {{^}}  %lower : Float(*, 4) = aten::div.Scalar_mode(%h, other=0.5, rounding_mode="floor"){{$}}
// CHECK-NEXT: {{^}}  %values : Float(*), %where : Long(*) = aten::max.dim(%lower, dim=1, keepdim=False){{$}}
// CHECK-NEXT: {{^}}  return (%values, %where){{$}}
module @net {
  weight @fc.weight : tensor<4x3xf32>
  func @forward(%x: tensor<[2*B + 1]x3xf32>, %on: tensor<i1>) -> (tensor<[2*B + 1]xf32>, tensor<[2*B + 1]xi64>) {
    %w = read @fc.weight
    %h = linear %x, %w
    %lower = floor_divide %h {other = 0.5}
    %values, %where = max_dim %lower {dim = 1}
    return %values, %where
  }
}
