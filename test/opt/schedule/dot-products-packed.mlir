// Of a contraction whose larger factor is contiguous along a loop of the sum, and whose other factor is not: that loop becomes
// the innermost one, the small factor is packed in the order of the terms, once for all results, and the loops of the sum become
// one. A factor that each result has for itself is read as it is.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// RUN: mlgc explain schedule %s | FileCheck %s --check-prefix=WHY
// RUN: mlgc eval %s --function=weighted --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=weighted --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=dynamic --dim=B=11 --dim=N=17 --random-inputs=2 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=dynamic --dim=B=11 --dim=N=17 --random-inputs=2 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=dynamic --dim=B=1 --dim=N=0 --random-inputs=2 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=dynamic --dim=B=1 --dim=N=0 --random-inputs=2 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=swapped --random-inputs=3 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=swapped --random-inputs=3 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK-LABEL: func @weighted.0.einsum(
// CHECK: %packed = alloc : buffer<16x31xf32, arena>
// CHECK: transpose_in_place
// CHECK: for [0, 79] (%[[R:.*]]: index) attributes {kind = "parallel"} {
// CHECK: for [0, 496] (%[[T:k_l]]: index, {{.*}}) attributes {combine = ["add", {{.*}}], kind = "vector", lanes = 16, schedule.strategy = "dot-product-tiles"} {
// CHECK-NEXT: load %packed_flat[%[[T]]] : f32
// CHECK-NEXT: load %x_flat[8*%[[R]], %[[T]]] : f32
// CHECK-LABEL: func @swapped.0.einsum(
// CHECK: for [0, 496] (%k_l: index, {{.*}}schedule.strategy = "dot-product-tiles"} {
// CHECK-LABEL: func @dynamic.0.einsum(
// CHECK: for [0, 16*N] (%{{.*}}: index, {{.*}}schedule.strategy = "dot-product-tiles"} {
// CHECK-LABEL: func @own.0.einsum(
// CHECK-NOT: packed
// CHECK: schedule.strategy = "reduction-lanes"
// EXACT-LABEL: func @weighted.0.einsum(
// EXACT-NOT: packed
// EXACT-LABEL: func @swapped.0.einsum(
// WHY: dot-product-tiles at %{{.*}}share what they read; 1 load packed in the order of the terms
func @weighted(%a: tensor<79x8x16x31xf32>, %b: tensor<31x16xf32>) -> tensor<79x8xf32> {
  %y = einsum %a, %b {equation = "ijkl,lk->ij"}
  return %y
}
func @swapped(%b: tensor<31x16xf32>, %a: tensor<79x8x16x31xf32>) -> tensor<79x8xf32> {
  %y = einsum %b, %a {equation = "lk,ijkl->ij"}
  return %y
}
func @dynamic(%a: tensor<[B]x16x[N]xf32>, %b: tensor<[N]x16xf32>) -> tensor<[B]xf32> {
  %y = einsum %a, %b {equation = "ikl,lk->i"}
  return %y
}
func @own(%a: tensor<40x16x31xf32>, %b: tensor<40x31x16xf32>) -> tensor<40xf32> {
  %y = einsum %a, %b {equation = "ikl,ilk->i"}
  return %y
}
