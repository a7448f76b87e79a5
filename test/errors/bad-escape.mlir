// An escape that is none.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: bad-escape.mlir:[[#@LINE+2]]:19: error: unknown escape in a string
// CHECK: bad-escape.mlir:[[#@LINE+1]]:19: note: escapes are `\n`, `\t`, `\\`, `\"` and two hexadecimal digits
module @m weights "w\q" {
}
