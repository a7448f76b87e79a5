// REQUIRES: libtorch
// A call of PyTorch is the same in every back end: agreement says nothing of it, and that is said.
// RUN: mlgc eval %s --input=1,2 --compare=torch | FileCheck %s
// CHECK: z by interp: agrees
// CHECK: z by torch: agrees
// CHECK: {{^}}aten::erf: not checked: 2 calls of PyTorch, in every back end
// RUN: mlgc eval %s --input=1,2 --backend=torch --compare=interp --format=json | FileCheck %s --check-prefix=JSON
// JSON: "name": "aten::erf",
// JSON-NEXT: "judged": false,
// JSON-NEXT: "calls": 2
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>
  %z = torch.call %y {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>
  return %z
}
