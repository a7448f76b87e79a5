// What products read along their terms lies in that order. Rows that only the next kernel reads, along their columns, stay
// where lanes go over these columns anyway: the buffer says what the other order would take.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,layout' --statistics > %t 2>&1
// RUN: FileCheck %s --input-file=%t
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,layout,layout,schedule,plan' | mlgc opt | FileCheck %s --check-prefix=PLAN
// CHECK: changed: 1
// CHECK: kept: 3
// CHECK-NOT: copied
// CHECK: func @turned(
// CHECK: alloc {layout.kept = "[1, 0] takes {{.*}} %"} : buffer<512x1024xf32, arena>
// CHECK: func @columns(
// CHECK: alloc {layout.kept = "[1, 0] takes {{.*}} %"} : buffer<512x1024xf32, arena>
// CHECK: func @product(
// CHECK: alloc {layout.kept = "[1, 0] takes {{.*}} %"} : buffer<256x512xf32, arena>
// CHECK: func @sums(
// CHECK: alloc {layout.order = "[1, 0] takes {{[1-6].}} %"} : buffer<16x16xf32, arena>
// PLAN: layout.order = "[1, 0] takes
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
func @sums(%z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = constant {value = dense<0.00390625> : tensor<16x16xf32>}
  %v = matmul %z, %z
  %1 = einsum %0, %v {equation = "ab,cb->ac"}
  %2 = einsum %0, %v {equation = "ab,ac->cb"}
  %3 = add %1, %0
  %d = add %3, %2
  return %d
}
