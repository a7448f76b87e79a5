// A strip over few columns, which keeps values in scratch, has the least lanes that hold all of them: 8 for 6 columns.
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v3 | FileCheck %s
// CHECK: func @six.0.{{.*}}cumprod(
// CHECK: alloc : buffer<73x8xf32, thread>
// CHECK-NEXT: attributes {kind = "vector", lanes = 8} {
// CHECK: func @twelve.0.{{.*}}cumprod(
// CHECK: alloc : buffer<73x16xf32, thread>
// CHECK-NEXT: attributes {kind = "vector", lanes = 16} {
func @six(%x: tensor<83x73x6xf32>) -> tensor<83x73x6xf32> {
  %0 = exp %x
  %1 = cumprod %0 {dim = 1}
  return %1
}
func @twelve(%x: tensor<83x73x12xf32>) -> tensor<83x73x12xf32> {
  %0 = exp %x
  %1 = cumprod %0 {dim = 1}
  return %1
}
