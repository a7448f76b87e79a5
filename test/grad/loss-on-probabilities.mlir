// A loss that applies a softmax itself, of what a softmax gave: a warning, also through casts and movement.
// RUN: mlgc grad %s --loss=cross_entropy -o %t 2>&1 | FileCheck %s
// CHECK: loss-on-probabilities.mlir:[[#@LINE+8]]:8: warning: cross_entropy wants logits, and result `p` is what `softmax` gives, probabilities
// CHECK-NEXT: %s = softmax %x
// CHECK: note: take the loss of what `softmax` reads: leave `softmax` out of the model, or give that value back too and name it with --of
// RUN: FileCheck %s --check-prefix=MADE < %t
// MADE: cross_entropy
// RUN: mlgc grad %s --loss=mse -o %t 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning
func @f(%x: tensor<[B]x3xf32>) -> tensor<[B]x3xf32> where 1 <= B {
  %s = softmax %x {dim = -1}
  %p = view %s {shape = [B, 3]}
  return %p
}
