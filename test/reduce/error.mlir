// An error of a kind: of a text that is not correct lines go, and the same error stays, not the other one.
// RUN: mlgc reduce %s --keep=error:unknown-op --test='mlgc opt --diagnostics=json {}' 2>&1 | FileCheck %s
// RUN: %exits 1 mlgc reduce %s --keep=error:result-type --test='mlgc opt --diagnostics=json {}' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %exits 2 mlgc reduce %s --keep=error:nonsense --test=true 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: %exits 2 mlgc reduce %s --keep=crash 2>&1 | FileCheck %s --check-prefix=WHAT
// CHECK: keeps: unknown-op: unknown op `nonsense`
// CHECK: reduced {{[0-9]+}} lines to {{[1-3]}} in
// CHECK: nonsense
// OTHER: mlgc: error: `{{[^ ]*}}/error.mlir` does not fail as --keep=error:result-type says
// KIND: error: --keep=error:nonsense: there is no kind of error `nonsense`
// WHAT: error: neither --test nor --pass-pipeline says what fails
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = exp %x
  %b = nonsense %a
  %c = exp %b
  return %c
}
