// Sizes that stand in products only (test/run/product-size.mlir): on a GPU one size is the product, the other 1. emulated_test.py
// runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// CHECK: const int64_t B_S = call->symbols[0];
// CHECK-NEXT: const int64_t S = 1;
// CHECK: {"B*S", 0, MLGC_I64_MAX, 0}
func @rows(%x: tensor<[B*S]x40xf32>, %b: tensor<[2*B*S + 1]xf32>) -> (tensor<[B*S]xf32>, tensor<[B*S]x40xf32>) {
  %sums = sum %x {dim = [1]}
  %part = slice %b {dim = 0, end = [B*S]} : tensor<[B*S]xf32>
  %y = add %sums, %part
  %column = unsqueeze %y {dim = 1}
  %z = mul %x, %column
  return %y, %z
}
