// `inline{fusions=true},cse` is the way back; a second `fuse` has nothing to do; names and what kernels compute stay.
// RUN: mlgc opt %s > %t.plain
// RUN: mlgc opt %s --pass-pipeline='fuse,inline{fusions=true},cse' > %t.back
// RUN: diff %t.plain %t.back
// RUN: mlgc opt %s --fuse > %t.once
// RUN: mlgc opt %t.once --fuse --statistics > %t.twice 2> %t.counts
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.counts
// RUN: mlgc opt %s --fuse --verify-each=numeric > /dev/null
// RUN: mlgc explain fusion %t.once | FileCheck %s --check-prefix=THERE
// CHECK: {{^}}unchanged: fuse{{$}}
// THERE: 0 kernels of 0 ops, 0 views, 1 op in no kernel; 0 of 0 uses fused
func @f(%x: tensor<[B]x8xf32>) -> (tensor<[B]x8xf32>, tensor<8xf32>) {
  %c = constant {value = dense<2.0> : tensor<f32>} : tensor<f32>
  %a = mul %x, %c : tensor<[B]x8xf32>
  %q = permute %a {dims = [1, 0]} : tensor<8x[B]xf32>
  %z = sum %q {dim = [1]} : tensor<8xf32>
  return %a, %z
}
