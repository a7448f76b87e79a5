// A segment that is there stays; what the target does not support in it is a warning.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json 2>&1 | FileCheck %s
// CHECK-DAG: warning: `exp` is in a segment for `accel`, which does not support it: no rule lists `exp`
// CHECK-DAG: note: `inline{segments=true}` before `partition` inlines segments, so that they are formed anew
// CHECK-DAG: %0 = segment (%a = %x) attributes {target = "accel"} {
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = segment (%a = %x) attributes {target = "accel"} {
    %u = exp %a
    %r = relu %u
    yield %r
  }
  return %0
}
