// A fusion of a file is taken as it is, also where it moves elements too often for index expressions.
// RUN: not mlgc opt %s --to=scalar-loops 2>&1 | FileCheck %s
// CHECK: {{^}}{{.*}}long-subscripts.mlir:[[#@LINE+4]]:8: error: `fusion` has no lowering to loops: an op inside of it is no formula on tensors, or its ops move elements so often that a subscript is too long{{$}}
// CHECK: {{^}}{{.*}}long-subscripts.mlir:[[#@LINE+3]]:8: note: `mlgc eval` runs it, op by op{{$}}
// RUN: mlgc eval %s --input=x=iota > /dev/null
func @f(%x: tensor<24x25xf32>) -> tensor<40x15xf32> {
  %y = fusion (%0 = %x) attributes {kind = "pointwise"} {
      %r0 = roll %0 {dims = [0, 1], shifts = [1, 2]} : tensor<24x25xf32>
      %v0 = view %r0 {shape = [40, 15]} : tensor<40x15xf32>
      %r1 = roll %v0 {dims = [0, 1], shifts = [2, 3]} : tensor<40x15xf32>
      %v1 = view %r1 {shape = [12, 50]} : tensor<12x50xf32>
      %r2 = roll %v1 {dims = [0, 1], shifts = [3, 4]} : tensor<12x50xf32>
      %v2 = view %r2 {shape = [8, 75]} : tensor<8x75xf32>
      %r3 = roll %v2 {dims = [0, 1], shifts = [1, 5]} : tensor<8x75xf32>
      %v3 = view %r3 {shape = [24, 25]} : tensor<24x25xf32>
      %r4 = roll %v3 {dims = [0, 1], shifts = [2, 6]} : tensor<24x25xf32>
      %v4 = view %r4 {shape = [40, 15]} : tensor<40x15xf32>
      %z = relu %v4 : tensor<40x15xf32>
      yield %z
  } : tensor<40x15xf32>
  return %y
}
