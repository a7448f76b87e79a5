// A host function that tests something itself, whose kernels cannot fail; compile_test.py compiles what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @checked {
  func @forward(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
    check [B - 2] {message = "too few"}
    %y = exp %x : tensor<[B]xf32>
    return %y
  }
}
// CHECK: static const char* const mlgc_messages[] = {
// CHECK-NEXT: nullptr,  // the host alone fails
// CHECK: mlgc_failure* const failure = mlgc_queueing(runtime)->failures + 0;
