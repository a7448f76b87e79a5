// Nodes, edges and types, with a version. Empty parts are left out.
// RUN: mlgc export %s --to=json | FileCheck %s --strict-whitespace
// CHECK: {{^}}{{{$}}
// CHECK-NEXT: {{^}} "version": 1,{{$}}
// CHECK-NEXT: {{^}} "functions": [{{$}}
// CHECK-NEXT: {{^}}  {{{$}}
// CHECK-NEXT: {{^}}   "name": "f",{{$}}
// CHECK-NEXT: {{^}}   "arguments": [{{$}}
// CHECK-NEXT: {{^}}    {{{$}}
// CHECK-NEXT: {{^}}     "name": "x",{{$}}
// CHECK-NEXT: {{^}}     "type": "tensor<[B]xf32>"{{$}}
// CHECK-NEXT: {{^}}    }{{$}}
// CHECK-NEXT: {{^}}   ],{{$}}
// CHECK-NEXT: {{^}}   "nodes": [{{$}}
// CHECK-NEXT: {{^}}    {{{$}}
// CHECK-NEXT: {{^}}     "op": "relu",{{$}}
// CHECK-NEXT: {{^}}     "class": "compute",{{$}}
// CHECK-NEXT: {{^}}     "operands": [{{$}}
// CHECK-NEXT: {{^}}      "x"{{$}}
// CHECK-NEXT: {{^}}     ],{{$}}
// CHECK-NEXT: {{^}}     "results": [{{$}}
// CHECK-NEXT: {{^}}      {{{$}}
// CHECK-NEXT: {{^}}       "name": "y",{{$}}
// CHECK-NEXT: {{^}}       "type": "tensor<[B]xf32>"{{$}}
// CHECK-NEXT: {{^}}      }{{$}}
// CHECK-NEXT: {{^}}     ]{{$}}
// CHECK-NEXT: {{^}}    },{{$}}
// CHECK-NEXT: {{^}}    {{{$}}
// CHECK-NEXT: {{^}}     "op": "return",{{$}}
// CHECK-NEXT: {{^}}     "class": "control",{{$}}
// CHECK-NEXT: {{^}}     "operands": [{{$}}
// CHECK-NEXT: {{^}}      "y"{{$}}
// CHECK-NEXT: {{^}}     ]{{$}}
// CHECK-NEXT: {{^}}    }{{$}}
// CHECK-NEXT: {{^}}   ]{{$}}
// CHECK-NEXT: {{^}}  }{{$}}
// CHECK-NEXT: {{^}} ]{{$}}
// CHECK-NEXT: {{^}}}{{$}}
func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %y = relu %x
  return %y
}
