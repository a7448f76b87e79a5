// A state may change between calls: what depends on it stays.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK-NOT: weight
// CHECK: %m = read @mean
// CHECK-NEXT: %n = neg %m
state @mean : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = read @mean
  %n = neg %m
  %y = add %x, %n
  return %y
}
