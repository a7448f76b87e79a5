// A few rows of 32 bits and more are transposed too: their square of registers has empty lanes. Where all columns are one
// group, threads share the rows. Narrower elements, and rows of 3 that are written, go by strides.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=six --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=three --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by interp: agrees
// SAME: y by cpp: agrees
// CHECK-LABEL: func @six.0.permute
// CHECK-NEXT: for [0, 1] (%[[O:.*]]: index) attributes {schedule.strategy = "transpose-in-registers"} {
// CHECK-NEXT: for [0, 125] (%[[D:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [16*%[[O]], min(1, 16*%[[O]] + 16)] (%[[T:.*]]: index) {
// CHECK-NEXT: %[[S:.*]] = alloc : buffer<8x8xf32, register>
// CHECK-NEXT: for [0, 6] (%[[R:.*]]: index) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 8] (%[[L:.*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK-NEXT: %[[V:.*]] = load %x[%[[R]] + 6*%[[T]], %[[L]] + 8*%[[D]]] : f32
// CHECK-NEXT: store %[[V]], %[[S]][%[[R]], %[[L]]]
// CHECK: transpose_in_place %[[S]]{{$}}
// CHECK-NEXT: for [0, 8] (%[[Q:.*]]: index) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 6] (%[[M:.*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK: for [1000, 1003] (
// CHECK-LABEL: func @three.0.permute
// CHECK: %[[S:.*]] = alloc : buffer<4x4xi64, register>
// CHECK: for [0, 4] (%{{.*}}: index) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 3] (%{{.*}}: index) attributes {kind = "vector", lanes = 4} {
// CHECK-LABEL: func @narrow.0.permute
// CHECK-NOT: transpose_in_place
// CHECK-LABEL: func @written.0.permute
// CHECK-NOT: transpose_in_place
func @six(%x: tensor<6x1003xf32>) -> tensor<1003x6xf32> {
  %y = permute %x {dims = [1, 0]}
  return %y
}
func @three(%x: tensor<2x201x3xi64>) -> tensor<2x3x201xi64> {
  %y = permute %x {dims = [0, 2, 1]}
  return %y
}
func @narrow(%x: tensor<6x1003xbf16>) -> tensor<1003x6xbf16> {
  %y = permute %x {dims = [1, 0]}
  return %y
}
func @written(%x: tensor<3x1003xf32>) -> tensor<1003x3xf32> {
  %y = permute %x {dims = [1, 0]}
  return %y
}
