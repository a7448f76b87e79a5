// Ops are nodes, coloured by class; values are edges with their types.
// RUN: mlgc export %s --to=dot | FileCheck %s --strict-whitespace
// CHECK: {{^}}digraph "net" {{{$}}
// CHECK-NEXT: {{^}}  node [shape=box, style=filled]{{$}}
// CHECK-NEXT: {{^}}  subgraph cluster_0 {{{$}}
// CHECK-NEXT: {{^}}    label="@forward"{{$}}
// CHECK-NEXT: {{^}}    arg2_0_0 [label="%x", shape=ellipse, fillcolor=white]{{$}}
// CHECK-NEXT: {{^}}    arg2_0_1 [label="%on", shape=ellipse, fillcolor=white]{{$}}
// CHECK-NEXT: {{^}}    op3 [label="read @fc.weight", fillcolor=lightyellow]{{$}}
// CHECK-NEXT: {{^}}    op4 [label="linear", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}    op5 [label="floor_divide", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}    op6 [label="max_dim", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}    op7 [label="return", fillcolor=lightsalmon]{{$}}
// CHECK-NEXT: {{^}}  }{{$}}
// CHECK-NEXT: {{^}}  arg2_0_0 -> op4 [label="%x: tensor<[2*B + 1]x3xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op3 -> op4 [label="%w: tensor<4x3xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op4 -> op5 [label="%h: tensor<[2*B + 1]x4xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op5 -> op6 [label="%lower: tensor<[2*B + 1]x4xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op6 -> op7 [label="%values: tensor<[2*B + 1]xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op6 -> op7 [label="%where: tensor<[2*B + 1]xi64>"]{{$}}
// CHECK-NEXT: {{^}}}{{$}}
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
