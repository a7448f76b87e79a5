// Rows that only the next kernel reads, along their columns, stay where lanes go over these columns anyway: the buffer
// says what the other order would take.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,layout' --statistics > %t 2>&1
// RUN: FileCheck %s --input-file=%t
// CHECK-NOT: changed: 1
// CHECK: kept: 3
// CHECK-NOT: copied
// CHECK: func @turned(
// CHECK: alloc {layout.kept = "[1, 0] takes {{.*}} %"} : buffer<512x1024xf32, arena>
// CHECK: func @columns(
// CHECK: alloc {layout.kept = "[1, 0] takes {{.*}} %"} : buffer<512x1024xf32, arena>
// CHECK: func @product(
// CHECK: alloc {layout.kept = "[1, 0] takes {{.*}} %"} : buffer<256x512xf32, arena>
func @turned(%x: tensor<512x1024xf32>, %u: tensor<512x1024xf32>) -> tensor<1024x512xf32> {
  %s = softmax %x {dim = -1}
  %0 = mul %s, %u
  %1 = transpose %0 {dim0 = 0, dim1 = 1}
  %2 = softmax %1 {dim = -1}
  return %2
}
func @columns(%x: tensor<512x1024xf32>) -> tensor<1024xf32> {
  %0 = softmax %x {dim = -1}
  %1 = amax %0 {dim = [0]}
  return %1
}
func @product(%x: tensor<256x512xf32>, %u: tensor<512x512xf32>) -> tensor<512x256xf32> {
  %0 = matmul %x, %u
  %1 = transpose %0 {dim0 = 0, dim1 = 1}
  %2 = softmax %1 {dim = -1}
  return %2
}
