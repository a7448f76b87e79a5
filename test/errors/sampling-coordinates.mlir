// A place in a picture has two coordinates: a third would be left out, and one that is missing read from nowhere.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
func @three(%x: tensor<1x1x4x4xf32>, %g: tensor<1x2x2x3xf32>) -> tensor<1x1x2x2xf32> {
  // CHECK: error: extent `coordinates` is 3 (dim 3 of grid) and 2 (axes that are sampled)
  %0 = grid_sampler_2d %x, %g
  return %0
}
func @any(%x: tensor<1x1x4x4x4xf32>, %g: tensor<1x2x2x2x[C]xf32>) -> tensor<1x1x2x2x2xf32> {
  // CHECK: error: extent `coordinates` is C (dim 4 of grid) and 3 (axes that are sampled), which may differ
  // CHECK: note: add `where C == 3` to the function if they are always equal
  %0 = grid_sampler_3d %x, %g
  return %0
}
