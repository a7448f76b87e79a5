// Where no reproducer can be written, that is said.
// REQUIRES: faults
// RUN: env TMPDIR=%t.missing %exits 4 mlgc-with-faults opt %s --fault-sub-swapped --verify-each=numeric 2>&1 | FileCheck %s
// CHECK: reproducer-not-written.mlir:[[#@LINE+4]]:8: error: pass `fault-sub-swapped` changes what `@f` computes: result 0 [{{[0-9, ]+}}] was {{[^ ]+}} and is {{[^ ]+}}
// CHECK: mlgc: note: what shows it again could not be written: {{[^ ]*}}.missing/mlgc-reproducer-{{[0-9a-f]+}}.mlir: cannot open for writing: No such file or directory
// CHECK-NEXT: mlgc: note: let TMPDIR name a folder that can be written
func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %d = sub %x, %y
  return %d
}
