// Lanes over short rows read in strides. Rows of 8-byte elements, and those that fill lanes, have lanes of their own; what
// carries positions keeps lanes over rows.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK-LABEL: func @wide.0.sum(
// CHECK: for [0, 8] ({{.*}}) attributes {combine = ["add", "add", "add", "add"], kind = "vector", lanes = 8, schedule.strategy = "reduction-lanes"} {
// CHECK-LABEL: func @full.0.sum(
// CHECK: for [0, 16] ({{.*}}) attributes {combine = ["add", "add", "add", "add"], kind = "vector", lanes = 16, schedule.strategy = "reduction-lanes"} {
// CHECK-LABEL: func @positions.0.argmax(
// CHECK: schedule.strategy = "lanes-over-columns"} {
// CHECK-LABEL: func @others.0.sum(
// CHECK: schedule.strategy = "lanes-over-columns"} {
func @wide(%x: tensor<4096x8xi64>) -> tensor<4096xi64> {
  %y = sum %x {dim = [1]}
  return %y
}
func @full(%x: tensor<4096x16xf32>) -> tensor<4096xf32> {
  %y = sum %x {dim = [1]}
  return %y
}
func @positions(%x: tensor<4096x16xf32>) -> tensor<4096xi64> {
  %y = argmax %x {dim = 1}
  return %y
}
func @others(%x: tensor<4096x12xf32>) -> tensor<4096xf32> {
  %y = sum %x {dim = [1]}
  return %y
}
