// Of sums of products a number of terms at a time is added in f32, and so are the sums of these where they are few; many
// are added in f64. A window of a sum that goes by tiles is padded, too: all of the buffer along what the tiles divide.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// CHECK-LABEL: func @few.0.matmul(
// CHECK-NOT: f64
// CHECK: for [0, 4] (%[[O:.*]]: index, %[[ALL:[0-9]+]] = %{{.*}}) attributes {schedule.strategy = "outer-product-tiles"} {
// CHECK: for [250*%[[O]], 250*%[[O]] + 250] (
// CHECK: add %[[ALL]], %{{.*}} : f32
// CHECK-NOT: f64
// CHECK: return
// CHECK-LABEL: func @many.0.matmul(
// CHECK: for [0, 20] (%[[O:.*]]: index, %[[ALL:[0-9]+]] = %{{.*}}) attributes {schedule.strategy = "outer-product-tiles"} {
// CHECK: for [256*%[[O]], 256*%[[O]] + 256] (
// CHECK: add %[[ALL]], %{{.*}} : f64
// CHECK-LABEL: func @split.0.conv2d(
// CHECK: %padded = alloc : buffer<512x9x9xf32, arena>
// CHECK: for [0, 512] (%pad0: index) attributes {kind = "parallel"} {
// CHECK: for [0, 9] (%[[T:.*]]: index) attributes {kind = "parallel", schedule.strategy = "split-contraction"} {
// CHECK-NOT: f64
// CHECK: for [0, min(512, 57*%[[T]] + 57) ceildiv 19 - 3*%[[T]]] (
// CHECK: load %padded[
// EXACT-LABEL: func @few.0.matmul(
// EXACT-NOT: literal {dtype = f32
// EXACT-LABEL: func @split.0.conv2d(
weight @v : tensor<512x512x3x3xf32>
func @few(%a: tensor<64x1000xf32>, %b: tensor<1000x64xf32>) -> tensor<64x64xf32> {
  %y = matmul %a, %b
  return %y
}
func @many(%a: tensor<64x5120xf32>, %b: tensor<5120x8xf32>) -> tensor<64x8xf32> {
  %y = matmul %a, %b
  return %y
}
func @split(%x: tensor<1x512x7x7xf32>) -> tensor<1x512x7x7xf32> {
  %v = read @v : tensor<512x512x3x3xf32>
  %y = conv2d %x, %v {padding = [1, 1]}
  return %y
}
