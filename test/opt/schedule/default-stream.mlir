// Results of a kernel that touches more than the last cache of the machine holds go past it, unless the next kernel reads
// them, or another one soon; sizes that are known at run time decide then.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK-LABEL: func @large.0.
// CHECK: store %{{.*}}, %{{.*}}[%{{.*}}] {hint = "stream"}
// CHECK-LABEL: func @unknown.0.
// CHECK: store %{{.*}}, %{{.*}}[%{{.*}}] {hint = "stream", where = [8192*B - 33554432]}
// CHECK: func @small.0.
// CHECK-NOT: stream
// CHECK: func @table.0.
// CHECK-NOT: stream
// CHECK-LABEL: func @next.0.
// CHECK-NOT: stream
// CHECK-LABEL: func @next.1.
// CHECK: {hint = "stream"}
// RUN: mlgc opt %s --to=loops --machine=x86-64-v4,l3_bytes=4194304 | FileCheck %s --check-prefix=SMALL
// SMALL: where = [8192*B - 4194304]
// SMALL-LABEL: func @small.0.
// SMALL: {hint = "stream"}
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
