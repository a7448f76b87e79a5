// What passes did and what is there after them, in text and as JSON. A pass that did nothing is named, no more.
// RUN: mlgc opt %s --cse --dce --statistics 2>&1 >/dev/null | FileCheck %s
// CHECK-NOT: {{.}}
// CHECK: {{^}}dce: changed{{$}}
// CHECK-NEXT: ops 4 -> 3 (-1)
// CHECK-NEXT: compute 2 -> 1 (-1)
// CHECK-NEXT: sin 1 -> 0 (-1)
// CHECK-NEXT: ops-removed: 1
// CHECK-NEXT: {{^}}unchanged: cse{{$}}
// CHECK-NEXT: {{^}}module: 3 ops{{$}}
// CHECK-NEXT: {{^}}  compute 1: relu 1{{$}}
// CHECK-NEXT: {{^}}  control 2: func 1, return 1{{$}}
// CHECK-NOT: {{.}}
// RUN: mlgc opt %s --dce --statistics --statistics-format=json 2>&1 >/dev/null | %python -m json.tool | FileCheck %s --check-prefix=JSON
// JSON: "pass": "dce"
// JSON: "sin"
// JSON: "module": {
// JSON-NEXT: "ops": 3,
// Without a pass; each op in the class that the sample says.
// RUN: mlgc opt %samples/node_classes.mlir --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=CLASSES
// CLASSES: {{^}}module: 14 ops{{$}}
// CLASSES-NEXT: {{^}}  compute 3: add 1, mul 1, neg 1{{$}}
// CLASSES-NEXT: {{^}}  data 4: read 2, weight 1, constant 1{{$}}
// CLASSES-NEXT: {{^}}  shape 1: dim 1{{$}}
// CLASSES-NEXT: {{^}}  control 5: yield 2, func 1, return 1, if 1{{$}}
// CLASSES-NEXT: {{^}}  memory 1: state 1{{$}}
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
