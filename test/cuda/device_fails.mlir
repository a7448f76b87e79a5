// A model for device_fails_test.py: weights, a state, temporaries, a number that the host fetches, and indices that may be outside.
// RUN: mlgc emit %s --target=cuda --random-weights=1 | FileCheck %s
// CHECK: return runtime->fail_device(runtime, mlgc_cuda_status(error), cudaGetErrorString(error));
weight @w : tensor<4xf32>
state @calls : tensor<i64>
func @forward(%x: tensor<[B]x4xf32>, %at: tensor<[N]xi64>, %go: tensor<i1>) -> tensor<[N]x4xf32> updates (@calls = %next) {
  %w = read @w
  %calls = read @calls
  %next = add %calls {other = 1}
  %y = mul %x, %w
  %chosen = if %go {
    %sorted, %places = sort %y {dim = 0} : tensor<[B]x4xf32>, tensor<[B]x4xi64>
    yield %sorted
  } else {
    yield %y
  } : tensor<[B]x4xf32>
  %z = index_select %chosen, %at {dim = 0}
  return %z, %next
}
