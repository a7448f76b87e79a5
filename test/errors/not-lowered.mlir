// Every op without a lowering is reported with its reason, and nothing is lowered.
// RUN: %exits 3 mlgc opt %s --pass-pipeline='fuse,lower-to-loops' 2>&1 | FileCheck %s
// CHECK: not-lowered.mlir:[[@LINE+13]]:8: error: `segment` has no lowering to loops: it reads `@s`, which calls change: read it outside
// CHECK: note: `mlgc eval` runs it, op by op
// CHECK: error: `call` has no lowering to loops: `inline` takes calls away, with which -O2 and each level begin, up to `max-ops`
// CHECK: error: `scan` has no lowering to loops: its sequences are not known to have the same length
// CHECK: error: `torch.call` has no lowering to loops: it is no formula
// CHECK: error: `func` has no lowering to loops: its argument `x` is not a tensor
state @s : tensor<3xf32>
func @h(%x: tensor<3xf32>) -> tensor<3xf32> updates (@s = %y) {
  %y = exp %x
  return %x, %y
}
func @f(%x: tensor<4x3xf32>, %h: tensor<3xf32>, %a: tensor<[A]xf32>, %b: tensor<[B]xf32>) -> (tensor<3xf32>, tensor<[A]xf32>, tensor<3xf32>) {
  %s = add %h, %h
  %t = segment (%0 = %s) attributes {target = "accel"} {
    %v = read @s
    %1 = add %0, %v
    yield %1
  }
  %y = call @h, %t
  %z = scan %a, %b (%i: tensor<f32>, %j: tensor<f32>) attributes {carried = 0} {
    %0 = add %i, %j
    yield %0
  }
  %c = torch.call %y {target = "aten::special_multigammaln", parameters = ["self", "p"], arguments = [3]} : tensor<3xf32>
  return %y, %z, %c
}
func @g(%x: f32) -> f32 {
  return %x
}
