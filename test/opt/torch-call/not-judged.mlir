// Passes are judged without LibTorch: what calls it is not judged, which is said.
// RUN: mlgc opt %s --dce --verify-each=numeric -o /dev/null 2>&1 | FileCheck %s
// CHECK: note: `@f` is not checked after pass `dce`: `aten::erf` is an operator of PyTorch, which is not asked here
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>
  %unread = exp %x
  return %a
}
