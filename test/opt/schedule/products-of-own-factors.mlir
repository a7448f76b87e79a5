// A sum of products that shares no factor with another one is a reduction like any other: loops go along the memory, and
// columns have lanes, also where the factors are scratch of each row (the entropy of columns).
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=permuted --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=permuted --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=entropy --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=entropy --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK-LABEL: func @permuted.0.{{.*}}mean(
// CHECK-NEXT: for [0, 16] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 122] (%[[C:.*]]: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "lanes-over-columns"} {
// CHECK: load %x[%{{.*}}, %{{.*}}, %[[C]]] : f32
// CHECK-LABEL: func @entropy.0.
// CHECK: schedule.strategy = "lanes-over-columns"} {
// CHECK-NEXT: alloc : buffer<49x32xf32, thread>
// CHECK-NOT: dot-product-tiles
// CHECK: return
func @permuted(%x: tensor<288x16x122xf32>) -> tensor<122x16xf32> {
  %p = permute %x {dims = [2, 1, 0]}
  %s = sigmoid %p
  %m = mul %s, %p
  %y = mean %m {dim = [2]}
  return %y
}
func @entropy(%x: tensor<49x190xf32>) -> tensor<190xf32> {
  %p = softmax %x {dim = 0}
  %l = log_softmax %x {dim = 0}
  %m = mul %p, %l
  %y = sum %m {dim = [0]}
  return %y
}
