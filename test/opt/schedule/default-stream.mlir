// A result that is too large for caches goes past them, unless the next kernel reads it, or its size is not known.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK-LABEL: func @large.0.
// CHECK: store %{{.*}}, %{{.*}}[%{{.*}}] {hint = "stream"}
// CHECK-LABEL: func @unknown.0.
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
func @next(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = matmul %x, %x
  %1 = matmul %0, %x
  return %1
}
