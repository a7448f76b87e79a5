// Where no value is saved the report says so.
// RUN: mlgc explain saved %s | FileCheck %s --match-full-lines
// CHECK: saved for backward: nothing
func @f(%x: tensor<[B]x32xf32>) -> tensor<[B]x32xf32> {
  %y = exp %x
  return %y
}
