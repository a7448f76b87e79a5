// A sum over groups that each have a scale: lanes over the terms of a group, the groups inside of them, and no copy of the weight.
// The halves of packed numbers are written out, so that both read the same bytes.
// RUN: mlgc opt %s --to=loops --machine=x86-64-v4 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// RUN: mlgc explain schedule %s --machine=x86-64-v4 | FileCheck %s --check-prefix=WHY
// RUN: mlgc eval %s --function=bytes --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=bytes --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=nibbles --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=nibbles --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=nibbles --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK-LABEL: func @bytes.0.dequantize_linear(
// CHECK-NOT: alloc
// CHECK: for [0, 32] (%k: index, {{.*}}) attributes {{{.*}}kind = "vector", lanes = 32, schedule.strategy = "dot-product-groups"} {
// CHECK: for [0, 4] (%k_o: index, {{.*}}) {
// CHECK: load %{{.*}}[2*%n_o, %k + 32*%k_o] : i8
// CHECK: load %{{.*}}[2*%n_o, %k_o] : f32
// CHECK-LABEL: func @nibbles.0.dequantize_linear(
// CHECK-NOT: alloc
// CHECK: for [0, 16] (%k: index, {{.*}}) attributes {{{.*}}kind = "vector", lanes = 16, schedule.strategy = "dot-product-groups"} {
// CHECK: for [0, 4] (%k_o: index, {{.*}}) {
// CHECK: for [0, 2] (%k_o2: index, {{.*}}) attributes {kind = "unrolled"} {
// CHECK: load %{{.*}}[0, %k + 16*%k_o2 + 32*%k_o] : f32
// CHECK: load %{{.*}}[4*%n_o, %k + 16*%k_o] : ui8
// EXACT-NOT: dot-product-groups
// WHY: dot-product-groups at %{{.*}}32 terms of a group are contiguous, and 32 of them have the lanes
func @bytes(%x: tensor<1x128xf32>, %w: tensor<24x128xi8>, %s: tensor<24x4xf32>) -> tensor<1x24xf32> {
  %d = dequantize %w, %s {group = 32}
  %y = linear %x, %d
  return %y
}
func @nibbles(%x: tensor<1x128xf32>, %w: tensor<24x64xui8>, %s: tensor<24x4xf32>) -> tensor<1x24xf32> {
  %d = dequantize %w, %s {bits = 4, group = 32, zero = 8}
  %y = linear %x, %d
  return %y
}
