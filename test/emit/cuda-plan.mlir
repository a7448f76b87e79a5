// Buffers that share memory want the order of one thread, which a grid does not have.
// RUN: mlgc opt %s --to=plan > %t.plan.mlir
// RUN: %exits 3 mlgc emit %t.plan.mlir --target=cuda 2>&1 | FileCheck %s
// RUN: mlgc emit %s --target=cuda | FileCheck %s --check-prefix=WITHOUT
module @twice {
  func @forward(%x: tensor<[B]x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<[B]x8xf32> {
    %a = matmul %x, %w : tensor<[B]x8xf32>
    %s = softmax %a {dim = 1} : tensor<[B]x8xf32>
    %b = matmul %s, %v : tensor<[B]x8xf32>
    return %b
  }
}
// CHECK: error: source cannot be emitted for buffers that share memory, which CUDA does not order: emit text without a plan
// WITHOUT: static int32_t forward(const mlgc_call* call) {
