// Rows of 7 elements that share an operand have their lanes together, also where they compute much; rows that read each
// element twice have lanes of 8 and more, whatever their last strip leaves empty.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK-LABEL: func @shared.0.add_tanh(
// CHECK:         for [0, 112] (%[[P:.*]]: index) attributes {kind = "vector", lanes = 16, schedule.strategy = "elementwise-lanes"} {
// CHECK:           load %x_2[%{{.*}}, 0, %[[P]] mod 7] : f32
// CHECK-LABEL: func @twice.0.upsample_nearest2d(
// CHECK:           for [min(16*%[[S:.*]], 180), min(16*%[[S]], 180) + 16] (%[[W:.*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT:        load %{{.*}}[%{{.*}}, %{{.*}} floordiv 2, %[[W]] floordiv 2] : f32
func @shared(%x: tensor<68x16x7xf32>, %y: tensor<68x1x7xf32>) -> tensor<68x16x7xf32> {
  %0 = add %x, %y
  %1 = tanh %0
  return %1
}
func @twice(%x: tensor<3x5x16x98xf32>) -> tensor<3x5x32x196xf32> {
  %0 = upsample_nearest2d %x {size = [32, 196]}
  return %0
}
