// Every adjoint of a layer against differences, then the gradients of the derived function; nothing is printed besides.
// RUN: mlgc grad %s --check | FileCheck %s
// CHECK: {{^}}gradients of @layer with B = 12, plain values
// CHECK-NEXT: op        ops  runs  adjoints  in part  no slope  left out  worst error
// CHECK-NEXT: linear      1     1         3        0         0         0  {{[0-9.e-]+ by (input|weight|bias) \(%[xwb], .*check.mlir:27:8\)}}
// CHECK-NEXT: tanh        1     1         1        0         0         0  {{[0-9.e-]+}} by x (%y, {{.*}}check.mlir:[[@LINE+22]]:8)
// CHECK-NEXT: mean        1     1         1        0         0         0  {{[0-9.e-]+}} by x (%h, {{.*}}check.mlir:[[@LINE+22]]:11)
// CHECK-NEXT: gradient  error of the derived function
// CHECK-NEXT: x         {{[0-9.e-]+$}}
// CHECK-NEXT: w         {{[0-9.e-]+$}}
// CHECK-NEXT: b         {{[0-9.e-]+$}}
// CHECK-NEXT: checked 5 adjoints and 3 gradients: all agree
// CHECK-NEXT: worst: `{{.*}}` by `{{.*}}` (%{{.*}}check.mlir:{{.*}}): {{.*}} computed, {{.*}} by differences (off by {{.*}} at most)
// CHECK-NOT: func

// Inputs as `mlgc eval` takes them; one gradient only; as it is derived.
// RUN: mlgc grad %s --check --raw --wrt=w --dim=B=2 --random-inputs=7 --input=b=iota | FileCheck %s --check-prefix=GIVEN
// GIVEN: gradients of @layer with the inputs that were given
// GIVEN: checked 3 adjoints and 1 gradient: all agree

// The report as JSON.
// RUN: mlgc grad %s --check --format=json | FileCheck %s --check-prefix=JSON
// JSON: "version": 1,
// JSON-NEXT: "function": "layer",
// JSON-NEXT: "inputs": "B = 12, plain values",
func @layer(%x: tensor<[B]x4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<f32> where 1 <= B {
  %y = linear %x, %w, %b
  %h = tanh %y
  %loss = mean %h {dim = [0, 1]}
  return %loss
}
