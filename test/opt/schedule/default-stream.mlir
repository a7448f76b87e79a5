// Results of a kernel that touches more than caches hold go past them, unless the next kernel reads them; sizes that are
// known at run time decide then.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK-LABEL: func @large.0.
// CHECK: store %{{.*}}, %{{.*}}[%{{.*}}] {hint = "stream"}
// CHECK-LABEL: func @unknown.0.
// CHECK: store %{{.*}}, %{{.*}}[%{{.*}}] {bytes = [8192*B], hint = "stream"}
// CHECK: func @small.0.
// CHECK-NOT: stream
// CHECK: func @table.0.
// CHECK-NOT: stream
// CHECK-LABEL: func @next.0.
// CHECK-NOT: stream
// CHECK-LABEL: func @next.1.
// CHECK: {hint = "stream"}
func @large(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = exp %x
  return %0
}
func @unknown(%x: tensor<[B]x1024xf32>) -> tensor<[B]x1024xf32> {
  %0 = exp %x
  return %0
}
func @small(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = exp %x
  return %0
}
// Of the table as much is read as is written.
func @table(%x: tensor<1000000x64xf32>, %at: tensor<1024xi64>) -> tensor<1024x64xf32> {
  %0 = index_select %x, %at {dim = 0}
  return %0
}
func @next(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = matmul %x, %x
  %1 = matmul %0, %x
  return %1
}
