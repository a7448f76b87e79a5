// One op by another, with attributes of its own.
// RUN: mlgc opt %s --pass-pipeline='replace-op{from=relu to=leaky_relu attributes={negative_slope = 0.2}}' | FileCheck %s
// CHECK: %a = leaky_relu %x {negative_slope = 0.2}
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  return %a
}
