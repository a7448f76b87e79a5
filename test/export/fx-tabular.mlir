// The table that torch.fx prints; several results are items of one node.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=fx-tabular | FileCheck %s --strict-whitespace
// CHECK: {{^}}opcode         name        target                       args                kwargs{{$}}
// CHECK-NEXT: {{^}}-------------  ----------  ---------------------------  ------------------  ----------------------------------------{{$}}
// CHECK-NEXT: {{^}}placeholder    x           x                            ()                  {}{{$}}
// CHECK-NEXT: {{^}}placeholder    on          on                           ()                  {}{{$}}
// CHECK-NEXT: {{^}}get_attr       w           fc_weight                    ()                  {}{{$}}
// CHECK-NEXT: {{^}}call_function  h           aten.linear.default          (x, w)              {'bias': None}{{$}}
// CHECK-NEXT: {{^}}call_function  lower       aten.div.Scalar_mode         (h,)                {'other': 0.5, 'rounding_mode': 'floor'}{{$}}
// CHECK-NEXT: {{^}}call_function  values_all  aten.max.dim                 (lower,)            {'dim': 1, 'keepdim': False}{{$}}
// CHECK-NEXT: {{^}}call_function  values      <built-in function getitem>  (values_all, 0)     {}{{$}}
// CHECK-NEXT: {{^}}call_function  where       <built-in function getitem>  (values_all, 1)     {}{{$}}
// CHECK-NEXT: {{^}}output         output      output                       ((values, where),)  {}{{$}}
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
