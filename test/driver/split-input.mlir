// Parts are modules of their own, printed with the separator between them.
// RUN: mlgc opt %s --split-input-file | FileCheck %s
// CHECK: func @f()
// CHECK: {{^}}// -----
// CHECK: func @f()
func @f() {
  return
}
// -----
func @f() {
  return
}
