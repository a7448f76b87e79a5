// What graphs_test.py calls: functions whose calls are graphs, one of which may fail, one of which replaces a state, one
// of which does both and one of which tests a value, and one that decides by a value, whose calls are not. Each kernel waits for earlier ones before all else.
// RUN: mlgc emit %s --target=cuda --random-weights=1 | FileCheck %s
// CHECK: cudaGridDependencySynchronize();
// CHECK-NEXT: cudaTriggerProgrammaticLaunchCompletion();
// CHECK: __global__ static void {{.*}} chain_{{.*}}_kernel1(
// CHECK-NEXT: mlgc_begin_kernel();
// CHECK: static int32_t chain(const mlgc_call* call) {
// CHECK: mlgc_failure* const failure = nullptr;  // no kernel can fail
// CHECK: static int32_t picked(const mlgc_call* call) {
// CHECK: mlgc_failure* const failure = mlgc_queueing(runtime)->failures + 1;
// CHECK-NOT: mlgc_settle(
// CHECK: static int32_t decided(const mlgc_call* call) {
// CHECK: if (const int32_t failed = mlgc_settle(runtime)) return failed;
// CHECK: static const mlgc_queue mlgc_queues[] = {
// CHECK-NEXT: {0, 1},
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: {0, 1},
// CHECK-NEXT: {1, 0},
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: };
// CHECK-NEXT: static const mlgc_device mlgc_cuda_device = MLGC_CUDA_DEVICE(mlgc_queues, mlgc_messages);
module @graphs {
  state @total : tensor<4xf32>
  func @chain(%x: tensor<[N]x4xf32>) -> tensor<[N]x4xf32> {
    %s = softmax %x {dim = 1} : tensor<[N]x4xf32>
    %r = cumsum %s {dim = 0} : tensor<[N]x4xf32>
    %c = sum %r {dim = [0]} : tensor<4xf32>
    %y = add %r, %c
    return %y
  }
  func @picked(%x: tensor<[N]x4xf32>, %at: tensor<[M]xi64>) -> tensor<[M]x4xf32> {
    %c = sum %x {dim = [0]} : tensor<4xf32>
    %y = add %x, %c
    %z = index_select %y, %at {dim = 0}
    return %z
  }
  func @counted(%x: tensor<[N]x4xf32>) -> tensor<4xf32> updates (@total = %next) {
    %total = read @total
    %c = sum %x {dim = [0]} : tensor<4xf32>
    %next = add %total, %c
    return %total, %next
  }
  func @decided(%x: tensor<[N]x4xf32>, %go: tensor<i1>) -> tensor<[N]x4xf32> {
    %chosen = if %go {
      %a = softmax %x {dim = 1} : tensor<[N]x4xf32>
      yield %a
    } else {
      %b, %places = sort %x {dim = 0} : tensor<[N]x4xf32>, tensor<[N]x4xi64>
      yield %b
    } : tensor<[N]x4xf32>
    return %chosen
  }
  func @summed(%x: tensor<[N]x4xf32>, %at: tensor<[M]xi64>) -> tensor<[M]x4xf32> updates (@total = %next) {
    %total = read @total
    %z = index_select %x, %at {dim = 0}
    %c = sum %z {dim = [0]} : tensor<4xf32>
    %next = add %total, %c
    return %z, %next
  }
  func @tested(%x: tensor<[N]x4xf32>, %at: tensor<[M]xi64>) -> tensor<[N]x4xf32> {
    %bad = ge %at {other = 8} : tensor<[M]xi1>
    %count = sum %bad {dim = [0]} : tensor<i64>
    check [-%count] {message = "a place of 8 or more"}
    %y = softmax %x {dim = 1} : tensor<[N]x4xf32>
    return %y
  }
}
