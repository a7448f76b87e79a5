// RUN: not mlgc opt %s --derive-weights=max-growth=-1 2>&1 | FileCheck %s
// CHECK: mlgc: error: option `max-growth` of pass `derive-weights`: must be at least 0
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
