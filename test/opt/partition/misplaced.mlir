// A segment that is there stays; what the target does not support in it is a warning.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json --verify-diagnostics | FileCheck %s --allow-empty
// CHECK-NOT: error
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = segment (%a = %x) attributes {target = "accel"} {
    // expected-warning@+1 {{`exp` is in a segment for `accel`, which does not support it: no rule lists `exp`}}
    %u = exp %a
    %r = relu %u
    yield %r
  }
  return %0
}
