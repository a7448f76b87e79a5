// A text holds one module.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: second-module.mlir:[[#@LINE+4]]:1: error: a text holds one module and nothing else
// CHECK: second-module.mlir:[[#@LINE+3]]:1: note: separate modules with a line `// -----` and use --split-input-file
module @a {
}
module @b {
}
