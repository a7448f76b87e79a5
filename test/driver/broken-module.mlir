// A pass that leaves an invalid module is a bug of the compiler and not of the model: exit code 70, and a file that shows it
// again, from whatever command runs passes.
// REQUIRES: faults
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env TMPDIR=%t.dir %exits 70 mlgc-with-faults emit %s --pass-pipeline=canonicalize,fault-misplaced,cse -o %t.cpp 2>&1 | FileCheck %s
// RUN: not test -e %t.cpp
// RUN: cp %t.dir/mlgc-reproducer-*.mlir %t.mlir
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.mlir
// RUN: %exits 70 mlgc-with-faults opt %t.mlir --replay 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: rm %t.dir/* && env TMPDIR=%t.dir %exits 70 mlgc-with-faults compile %s --fault-misplaced -o %t.mlgcx 2>&1 | FileCheck %s
// RUN: not test -e %t.mlgcx
// CHECK: error: pass `fault-misplaced` left a module that is not valid
// CHECK: note: `mlgc opt {{[^ ]*}}/mlgc-reproducer-{{[0-9a-f]+}}.mlir --replay` shows it again
// FILE: // pipeline: fault-misplaced,cse
// FILE: // command: mlgc opt --pass-pipeline='canonicalize,fault-misplaced,cse'
// FILE-NEXT: // failure: pass `fault-misplaced` left a module that is not valid
// AGAIN: error: pass `fault-misplaced` left a module that is not valid
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  %1 = sin %0 : tensor<4xf32>
  return %1
}
