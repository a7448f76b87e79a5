// Without a file, and for `-`, the text comes from standard input.
// RUN: mlgc opt < %s | FileCheck %s
// RUN: mlgc opt - < %s | FileCheck %s
// RUN: %exits 1 mlgc opt < %S/Inputs/broken.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// CHECK: func @f()
// NAME: <stdin>:2:8: error: unknown op `relo`
func @f() {
  return
}
