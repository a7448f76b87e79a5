// The default schedule of elementwise kernels: what is dense runs flat over tiles, broadcasts keep rows with lanes inside,
// gathers of rows too. Short loops stay, and say so. A second run changes nothing.
// RUN: mlgc opt %s --to=loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %t.mlir --schedule > %t.again.mlir
// RUN: diff %t.mlir %t.again.mlir
// CHECK-LABEL: func @dense.0.mul_relu(
// CHECK: %[[Y:.*]] = buffer_view %y{{.*}} : buffer<[8*B]xf32, argument>
// CHECK: for [0, B ceildiv 512] (%[[O:.*]]: index) attributes {kind = "parallel", schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: for [4096*%[[O]], min(4096*%[[O]] + 4096, 8*B)] (%[[I:.*]]: index) attributes {kind = "vector", lanes = 64} {
// CHECK: store %{{.*}}, %[[Y]][%[[I]]]
// CHECK-LABEL: func @bias.0.add_exp(
// CHECK: for [0, B] (%[[R:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, C] (%[[C:.*]]: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// CHECK: store %{{.*}}, %y{{.*}}[%[[R]], %[[C]]]
// CHECK-LABEL: func @rows.0.embedding(
// CHECK: for [0, B] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 3] (%[[S:.*]]: index) attributes {kind = "unrolled", schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: for [8*%[[S]], 8*%[[S]] + 8] (%[[D:.*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK: %[[AT:.*]] = load %{{.*}} : i64
// CHECK: load %{{.*}}[%[[AT]], %[[D]]] {checked = true} : f32
// CHECK-LABEL: func @short.0.add(
// CHECK: for [0, 3] (%{{.*}}: index) attributes {schedule.serial = "it is too short"} {
func @dense(%x: tensor<[B]x8xf32>, %y: tensor<[B]x8xf32>) -> tensor<[B]x8xf32> {
  %0 = mul %x, %y
  %1 = relu %0
  return %1
}
func @bias(%x: tensor<[B]x[C]xf32>, %y: tensor<[C]xf32>) -> tensor<[B]x[C]xf32> {
  %0 = add %x, %y
  %1 = exp %0
  return %1
}
func @rows(%t: tensor<100x24xf32>, %i: tensor<[B]xi64>) -> tensor<[B]x24xf32> {
  %0 = embedding %t, %i
  return %0
}
func @short(%x: tensor<[B]x3xf32>, %y: tensor<3xf32>) -> tensor<[B]x3xf32> {
  %0 = add %x, %y
  return %0
}
