// Of several functions one must be named.
// RUN: %exits 2 mlgc eval %s 2>&1 | FileCheck %s
// CHECK: mlgc: error: the module has 2 functions
// CHECK: note: known names: a, b
// CHECK: note: choose one with --function=
module {
  func @a() {
    return
  }
  func @b() {
    return
  }
}
