// Faults of metadata sections, each with its place.
// RUN: not mlgc opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: resources.mlir:[[#@LINE + 2]]:41: error: resource `a` is not defined in this text
func @f() -> tensor<2xf32> {
  %0 = constant {value = dense_resource<a> : tensor<2xf32>}
  return %0
}
// -----
// CHECK: resources.mlir:[[#@LINE + 2]]:41: error: 2 elements where the type has 3 (-1: no constant)
func @f() -> tensor<3xf32> {
  %0 = constant {value = dense_resource<a> : tensor<3xf32>}
  return %0
}
{-# dialect_resources: { builtin: { a: "0x040000000000803F00000040" } } #-}
// -----
func @f() -> tensor<f32> {
  %0 = constant {value = dense_resource<a> : tensor<f32>}
  return %0
}
// CHECK: resources.mlir:[[#@LINE + 1]]:40: error: resource `a` has an alignment that is no power of two
{-# dialect_resources: { builtin: { a: "0x030000000000803F" } } #-}
// -----
func @f() -> tensor<f32> {
  %0 = constant {value = dense_resource<a> : tensor<f32>}
  return %0
}
// CHECK: resources.mlir:[[#@LINE + 1]]:40: error: resource `a` is not a string of `0x` and pairs of hexadecimal digits
{-# dialect_resources: { builtin: { a: "0x0400000" } } #-}
// -----
// CHECK: resources.mlir:[[#@LINE + 1]]:54: error: resource `a` is defined twice
{-# dialect_resources: { builtin: { a: "0x04000000", a: "0x" } } #-}
func @f() {
  return
}
// -----
// CHECK: resources.mlir:[[#@LINE + 1]]:5: error: unknown key `resources`, expected one of dialect_resources, external_resources
{-# resources: { builtin: { a: "0x04000000" } } #-}
// -----
func @f() {
  return
}
// CHECK: error: expected `#-}` after a metadata section, found the end of the text
{-# dialect_resources: { builtin: { a: "0x04000000" } }
