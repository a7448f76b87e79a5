// Keys of attention that a kernel makes: scores read them along what they sum. Rows of keys lie so; of columns the other
// order is tried, and takes more, since what lanes need is packed once. Heads are views, which are not followed.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,layout' | FileCheck %s
// CHECK: func @rows(
// CHECK: %s = alloc : buffer<8x128x64xf32, arena>
// CHECK: func @columns(
// CHECK: %s = alloc {layout.kept = "[0, 2, 1] takes {{.*}} %"} : buffer<8x64x128xf32, arena>
// CHECK: func @heads(
// CHECK: %s = alloc {layout.kept = "the layout of `s` cannot change: `h` is a view of it"} : buffer<128x256xf32, arena>
func @rows(%q: tensor<8x128x64xf32>, %k: tensor<8x128x64xf32>) -> tensor<8x128x128xf32> {
  %s = softmax %k {dim = -1}
  %t = transpose %s {dim0 = 1, dim1 = 2}
  %0 = matmul %q, %t
  return %0
}
func @columns(%q: tensor<8x128x64xf32>, %k: tensor<8x64x128xf32>) -> tensor<8x128x128xf32> {
  %s = softmax %k {dim = -1}
  %0 = matmul %q, %s
  return %0
}
func @heads(%q: tensor<4x128x64xf32>, %k: tensor<128x256xf32>) -> tensor<4x128x128xf32> {
  %s = softmax %k {dim = -1}
  %h = view %s {shape = [128, 4, 64]}
  %t = permute %h {dims = [1, 2, 0]}
  %0 = matmul %q, %t
  return %0
}
