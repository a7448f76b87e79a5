// Errors that the text expects are as good as none; one that is missing, or not expected, is an error.
// RUN: mlgc opt %s --split-input-file --verify-diagnostics
// RUN: sed -e 's/rel[o] %x/relu %x/' -e 's/sin %x/sine %x/' %s > %t.mlir
// RUN: %exits 1 mlgc opt %t.mlir --split-input-file --verify-diagnostics 2>&1 | FileCheck %s
// CHECK: error: expected error was not reported: unknown op `relo`
// CHECK: error: unexpected error: unknown op `sine`
func @f(%x: tensor<4xf32>) {
  // expected-error@+2 {{unknown op `relo`}}
  // expected-note@+1 {{did you mean `relu`?}}
  %a = relo %x
  return
}
// -----
func @f(%x: tensor<4xf32>) {
  %a = sin %x
  return
}
