// An unknown number of rows: those that fill no tile are smaller tiles, each of which divides the one before, and at
// last single rows, so that no more than two of a size are left. Panels are as wide as leaves threads enough of them,
// and a row has a sum in each of their vectors: few rows have as many sums that do not wait for each other as a tile.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v3 | FileCheck %s --check-prefix=NARROW
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=1 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=11 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=35 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: result0 by cpp: agrees
// SAME: result1 by cpp: agrees
// CHECK: weight @wide.panels : tensor<8x72x64xf32>
// CHECK: weight @narrow.panels : tensor<10x104x32xf32>
// CHECK: weight @few.panels : tensor<7x48x16xf32>
// CHECK: func @f.0.linear(
// CHECK-NEXT: for [0, 8] (%[[P:[^ :]*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, B floordiv 6] (%[[I:[^ :]*]]: index) {
// CHECK-NEXT: for [64*%[[P]], 64*%[[P]] + 64] (%[[N:[^ :]*]]: index) attributes {kind = "vector", lanes = 64} {
// CHECK: store %{{.*}}, %y[6*%[[I]] + 5, %[[N]]]
// CHECK: for [3*(B floordiv 6), B floordiv 2] (%[[I2:[^ :]*]]: index) {
// CHECK-NEXT: for [64*%[[P]], 64*%[[P]] + 64] (%[[N2:[^ :]*]]: index) attributes {kind = "vector", lanes = 64} {
// CHECK: store %{{.*}}, %y[2*%[[I2]], %[[N2]]]
// CHECK-NEXT: store %{{.*}}, %y[2*%[[I2]] + 1, %[[N2]]]
// CHECK: for [2*(B floordiv 2), B] (%[[I1:[^ :]*]]: index) {
// CHECK: func @f.1.linear(
// CHECK-NEXT: for [0, 10] ({{[^)]*}}) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, B floordiv 12] (
// CHECK: for [3*(B floordiv 12), B floordiv 4] (
// CHECK: for [2*(B floordiv 4), B floordiv 2] (
// CHECK: for [2*(B floordiv 2), B] (
// Rows are on threads where there are few panels; of a single tile panels are.
// CHECK: func @f.2.linear(
// CHECK-NEXT: for [0, B floordiv 12] (%{{[^)]*}}) attributes {kind = "parallel"} {
// CHECK: for [3*(B floordiv 12), B floordiv 4] (%{{[^)]*}}) attributes {kind = "parallel"} {
// CHECK: for [2*(B floordiv 4), B floordiv 2] (%{{[^)]*}}) {
// CHECK-NEXT: for [0, 7] (%{{[^)]*}}) attributes {kind = "parallel"} {
// CHECK: for [2*(B floordiv 2), B] (%{{[^)]*}}) {
// CHECK-NEXT: for [0, 7] (%{{[^)]*}}) attributes {kind = "parallel"} {
// NARROW: func @f.0.linear(
// NARROW-NEXT: for [0, 8] (%[[P:[^ :]*]]: index) attributes {kind = "parallel"} {
// NARROW: lanes = 16
module {
  weight @wide : tensor<512x72xf32>
  weight @narrow : tensor<320x104xf32>
  weight @few : tensor<100x48xf32>
  func @f(%x: tensor<[B]x72xf32>, %y: tensor<[B]x104xf32>, %z: tensor<[B]x48xf32>) -> (tensor<[B]x512xf32>, tensor<[B]x320xf32>, tensor<[B]x100xf32>) where 1 <= B {
    %wide = read @wide
    %narrow = read @narrow
    %few = read @few
    %0 = linear %x, %wide
    %1 = linear %y, %narrow
    %2 = linear %z, %few
    return %0, %1, %2
  }
}
