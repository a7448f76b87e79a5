// Where factors are in memory, what several contractions compute is stored where its rows are wanted, if nothing else reads it.
// Another order of elements in a row is a kernel of its own.
// RUN: mlgc opt %s --pass-pipeline='fuse{factors-in-memory=true}' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='fuse' | FileCheck %s --check-prefix=APART
// CHECK-LABEL: func @heads(
// CHECK: = fusion
// CHECK-NOT: = fusion
// CHECK-LABEL: func @columns(
// CHECK: = fusion
// CHECK: = fusion
// CHECK-LABEL: func @read(
// CHECK: = fusion
// CHECK: = fusion
// APART-LABEL: func @heads(
// APART: = fusion
// APART: = fusion
// APART-LABEL: func @columns(
func @heads(%q: tensor<2x3x70x40xbf16>, %k: tensor<2x3x67x40xbf16>, %v: tensor<2x3x67x40xbf16>) -> tensor<2x70x3x40xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v
  %1 = permute %0 {dims = [0, 2, 1, 3]}
  return %1
}
func @columns(%q: tensor<2x3x70x40xbf16>, %k: tensor<2x3x67x40xbf16>, %v: tensor<2x3x67x40xbf16>) -> tensor<2x3x40x70xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v
  %1 = permute %0 {dims = [0, 1, 3, 2]}
  return %1
}
func @read(%q: tensor<2x3x70x40xbf16>, %k: tensor<2x3x67x40xbf16>, %v: tensor<2x3x67x40xbf16>) -> (tensor<2x3x70x40xbf16>, tensor<2x70x3x40xbf16>) {
  %0 = scaled_dot_product_attention %q, %k, %v
  %1 = permute %0 {dims = [0, 2, 1, 3]}
  return %0, %1
}
