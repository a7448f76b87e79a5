// Indices of 32 bits: places are computed in 64, in lanes and alone.
// RUN: mlgc eval %s --input=1,2,3,4,5,6,7 --input=2,0,6,1 --input=[[1,2],[3,4],[5,6]] --backend=cpp --compare=interp > %t.out
// RUN: FileCheck %s < %t.out
// CHECK: result0 by interp: agrees
// CHECK: result1 by interp: agrees
func @f(%x: tensor<7xi32>, %at: tensor<4xi32>, %rows: tensor<3x2xf32>) -> (tensor<4xi32>, tensor<2x2xf32>) {
  %0 = index_select %x, %at {dim = 0}
  %1 = slice %at {dim = 0, start = 0, end = 2}
  %2 = index_select %rows, %1 {dim = 0}
  return %0, %2
}
