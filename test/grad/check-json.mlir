// The report of --check as JSON: rows, what is wrong, gradients, and the worst adjoint.
// RUN: mlgc grad %s --check --format=json --random-inputs=3 > %t.json
// RUN: FileCheck %s < %t.json
// RUN: %python -m json.tool %t.json > /dev/null
// CHECK: {
// CHECK-NEXT: "version": 1,
// CHECK-NEXT: "function": "f",
// CHECK-NEXT: "inputs": "the inputs that were given",
// CHECK-NEXT: "ops": [
// CHECK-NEXT: {
// CHECK-NEXT: "op": "mul",
// CHECK-NEXT: "ops": 1,
// CHECK-NEXT: "runs": 1,
// CHECK-NEXT: "adjoints": 2,
// CHECK-NEXT: "in_part": 0,
// CHECK-NEXT: "not_differentiable": 0,
// CHECK-NEXT: "left_out": 0,
// CHECK-NEXT: "worst": {
// CHECK-NEXT: "op": "mul",
// CHECK-NEXT: "operand": "{{a|b}}",
// CHECK-NEXT: "value": "{{a|b}}",
// CHECK-NEXT: "at": "{{.*}}check-json.mlir:[[@LINE+24]]:8",
// CHECK-NEXT: "verdict": "agrees",
// CHECK-NEXT: "part": false,
// CHECK-NEXT: "computed": {{-?[0-9]}}
// CHECK-NEXT: "difference": {{-?[0-9]}}
// CHECK-NEXT: "difference_error": {{[0-9]}}
// CHECK-NEXT: "relative_error": {{[0-9]}}
// CHECK: "op": "sum",
// CHECK: "wrong": [],
// CHECK-NEXT: "gradients": [
// CHECK-NEXT: {
// CHECK-NEXT: "value": "a",
// CHECK-NEXT: "left_out": "",
// CHECK-NEXT: "verdict": "agrees",
// CHECK-NEXT: "part": false,
// CHECK-NEXT: "computed": {{-?[0-9]}}
// CHECK-NEXT: "difference": {{-?[0-9]}}
// CHECK-NEXT: "difference_error": {{[0-9]}}
// CHECK-NEXT: "relative_error": {{[0-9]}}
// CHECK-NEXT: },
// CHECK: "value": "b",
// CHECK: "worst": {
// CHECK-NEXT: "op": "{{mul|sum}}",
func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %p = mul %a, %b
  %s = sum %p {dim = [0]}
  return %s
}
