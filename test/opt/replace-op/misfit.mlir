// An op in whose place the new one does not fit is an error at its place, with the reason.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='replace-op{from=relu to=mean}' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: misfit.mlir:[[#@LINE+8]]:8: error: `mean` cannot replace this `relu`: result 0 is tensor<f32>, not tensor<4xf32>
// RUN: %exits 1 mlgc opt %s --pass-pipeline='replace-op{from=relu to=add}' 2>&1 | FileCheck %s --check-prefix=OPERAND
// OPERAND: misfit.mlir:[[#@LINE+6]]:8: error: `add` cannot replace this `relu`: `add` takes either the operand `b` or the attribute `other`, and exactly one
// RUN: %exits 1 mlgc opt %s --pass-pipeline='replace-op{from=relu to=call attributes={callee=@h}}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CALL
// CALL: misfit.mlir:[[#@LINE+3]]:8: error: `call` cannot replace this `relu`: no function, weight or state `@h` before this op
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // Stands where each message points.
  %a = relu %x
  return %a
}
