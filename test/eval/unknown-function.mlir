// A function that is not there.
// RUN: %exits 2 mlgc eval %s --function=c 2>&1 | FileCheck %s
// CHECK: mlgc: error: the module has no function `@c`
module {
  func @a() {
    return
  }
  func @b() {
    return
  }
}
