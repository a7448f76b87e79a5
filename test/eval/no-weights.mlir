// A module that names no weight file.
// RUN: %exits 1 mlgc eval %s 2>&1 | FileCheck %s
// CHECK: no-weights.mlir:[[#@LINE+3]]:3: error: `@w` has no data: the module names no weight file
// CHECK: note: give the file with --weights=, or run without it by --random-weights=1
module {
  weight @w : tensor<2xf32>
  func @f() -> tensor<2xf32> {
    %y = read @w
    return %y
  }
}
