// Ops in loops and branches are checked the first times that they run; corners are counted, not blamed.
// RUN: mlgc grad %s --function=roots --check --input=a=4 | FileCheck %s --check-prefix=WHILE
// WHILE: gradients of @roots with the inputs that were given
// WHILE: sub         1     3         3        0         0         3  {{[0-9.e-]+}} by b (%a, {{.*}}check-control-flow.mlir:[[@LINE+10]]:14)
// WHILE-NEXT: div         2     6         9        0         0         4  {{[0-9.e-]+}} by {{a|b}} (
// WHILE-NEXT: add         1     3         6        0         0         2  {{[0-9.e-]+}} by {{a|b}} (%
// WHILE-NEXT: mul         1     3         3        0         0         2  {{[0-9.e-]+}} by a (%sum, {{.*}}check-control-flow.mlir:[[@LINE+14]]:13)
// WHILE-NEXT: gradient  error of the derived function
// WHILE-NEXT: a         {{[0-9.e-]+$}}
// WHILE-NEXT: checked 21 adjoints and 1 gradient; 11 runs of ops left out: all agree
func @roots(%a: tensor<f64>) -> tensor<f64> {
  %root = while (%r = %a) {
    %square = mul %r, %r
    %error = sub %square, %a
    %size = abs %error
    %more = gt %size {other = 1.0e-12}
    condition %more, %r
  } do (%r: tensor<f64>) {
    %quotient = div %a, %r
    %sum = add %r, %quotient
    %next = mul %sum {other = 0.5}
    yield %next
  }
  return %root
}

// A ReLU at 0: of three elements two can be judged, of one none.
// RUN: mlgc grad %s --function=corner --check --input=x=0,1,-2 | FileCheck %s --check-prefix=PART
// PART: relu        1     1         1        1         0         0  {{[0-9.e-]+}} by x (%x, {{.*}}check-control-flow.mlir:
// PART: x         {{[0-9.e-]+}}, in a part of its elements
// RUN: mlgc grad %s --function=corner --check --input=x=0,0,0 | FileCheck %s --check-prefix=CORNER
// CORNER: relu        1     1         1        0         1         0  -
// CORNER: x         not differentiable here
// CORNER: checked 1 adjoint and 0 gradients; 2 not differentiable here: all agree
func @corner(%x: tensor<3xf64>) -> tensor<f64> {
  %y = relu %x
  %z = sum %y {dim = [0]}
  return %z
}

// Nothing to run the function on, and flags that want --check.
// RUN: not mlgc grad %s --function=empty --check 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: check-control-flow.mlir:[[#@LINE+4]]:1: error: no inputs were found on which `@empty` could be run: no sizes that satisfy its `where` clause were found
// INPUTS: note: give them, with --input, --dim and --random-inputs
// RUN: not mlgc grad %s --function=corner --dim=B=2 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: mlgc: error: --dim requires --check, --memory-limit or --explain
func @empty(%x: tensor<[N]xf64>) -> tensor<f64> where N*N mod 4 == 3 {
  %z = sum %x {dim = [0]}
  return %z
}
