// A kernel is a cluster that edges lead into and out of: no node for the fusion, none for its arguments and its `yield`.
// RUN: mlgc export %s --fuse --to=dot | FileCheck %s --strict-whitespace
// CHECK: {{^}}    arg1_0_0 [label="%x", shape=ellipse, fillcolor=white]{{$}}
// CHECK-NEXT: {{^}}    arg1_0_1 [label="%w", shape=ellipse, fillcolor=white]{{$}}
// CHECK-NEXT: {{^}}    arg1_0_2 [label="%i", shape=ellipse, fillcolor=white]{{$}}
// CHECK-NEXT: {{^}}    subgraph cluster_1 {{{$}}
// CHECK-NEXT: {{^}}      label="fusion contraction"{{$}}
// CHECK-NEXT: {{^}}      op2 [label="linear", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}      op3 [label="relu", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}    }{{$}}
// CHECK-NEXT: {{^}}    subgraph cluster_2 {{{$}}
// CHECK-NEXT: {{^}}      label="fusion contraction"{{$}}
// CHECK-NEXT: {{^}}      op4 [label="linear", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}    }{{$}}
// CHECK-NEXT: {{^}}    op5 [label="if", fillcolor=lightsalmon]{{$}}
// CHECK-NEXT: {{^}}    subgraph cluster_3 {{{$}}
// CHECK-NEXT: {{^}}      label="if then"{{$}}
// CHECK-NEXT: {{^}}      subgraph cluster_4 {{{$}}
// CHECK-NEXT: {{^}}        label="fusion pointwise"{{$}}
// CHECK-NEXT: {{^}}        op6 [label="neg", fillcolor=lightblue]{{$}}
// CHECK-NEXT: {{^}}      }{{$}}
// CHECK-NEXT: {{^}}      op7 [label="yield", fillcolor=lightsalmon]{{$}}
// CHECK-NEXT: {{^}}    }{{$}}
// CHECK-NEXT: {{^}}    subgraph cluster_5 {{{$}}
// CHECK-NEXT: {{^}}      label="if else"{{$}}
// CHECK-NEXT: {{^}}      op8 [label="yield", fillcolor=lightsalmon]{{$}}
// CHECK-NEXT: {{^}}    }{{$}}
// CHECK-NEXT: {{^}}    op9 [label="return", fillcolor=lightsalmon]{{$}}
// CHECK-NEXT: {{^}}  }{{$}}
// CHECK-NEXT: {{^}}  arg1_0_0 -> op2 [label="%x: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  arg1_0_1 -> op2 [label="%w: tensor<8x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op2 -> op3 [label="%h: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op3 -> op4 [label="%r: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  arg1_0_1 -> op4 [label="%w: tensor<8x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  arg1_0_2 -> op5 [label="%i: tensor<i1>"]{{$}}
// CHECK-NEXT: {{^}}  op4 -> op6 [label="%d: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op6 -> op7 [label="%n: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  arg1_0_0 -> op8 [label="%x: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op5 -> op9 [label="%c: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}  op3 -> op9 [label="%r: tensor<[B]x8xf32>"]{{$}}
// CHECK-NEXT: {{^}}}{{$}}
func @f(%x: tensor<[B]x8xf32>, %w: tensor<8x8xf32>, %i: tensor<i1>) -> (tensor<[B]x8xf32>, tensor<[B]x8xf32>) {
  %h = linear %x, %w
  %r = relu %h
  %d = linear %r, %w
  %c = if %i {
    %n = neg %d
    yield %n
  } else {
    yield %x
  }
  return %c, %r
}
