// A running extremum along rows carries the element and its place; a block that does not reach it is filled. The values
// are the formula's: the last of equal elements, NaN wherever it stands.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc eval %s --function=f --input=x=1x7xf32=1.0,-0.0,2.0,nan,3.0,nan,4.0 --input=y=1x7xf32=1.0,-0.0,0.0,nan,-3.0,nan,-4.0 > %t.graph
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=f --input=x=1x7xf32=1.0,-0.0,2.0,nan,3.0,nan,4.0 --input=y=1x7xf32=1.0,-0.0,0.0,nan,-3.0,nan,-4.0 > %t.loops
// RUN: diff %t.graph %t.loops
// CHECK-LABEL: func @f.0.cummax(
// CHECK: for [0, N ceildiv 64] (%block: index,
func @f(%x: tensor<[B]x[N]xf32>, %y: tensor<[B]x[N]xf32>) -> (tensor<[B]x[N]xf32>, tensor<[B]x[N]xi64>, tensor<[B]x[N]xi64>) {
  %v, %i = cummax %x {dim = 1}
  %w, %j = cummin %y {dim = -1}
  return %v, %i, %j
}
