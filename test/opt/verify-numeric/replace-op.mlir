// A pass that means to change what functions compute is not judged, and says so.
// RUN: mlgc opt %s --replace-op='from=relu to=abs' --verify-each=numeric 2>&1 | FileCheck %s
// CHECK: checked 0 passes: no pass made a change that can be checked
// CHECK: note: pass `replace-op` is not checked numerically: it puts another op in the place of what was there, as asked
// CHECK: abs %x
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relu %x
  return %y
}
