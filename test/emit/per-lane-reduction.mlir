// Vectors of a CPU take one iteration a lane at a time: what the lanes of others carry C++ refuses.
// RUN: %exits 3 mlgc emit %s --target=cpp 2>&1 | FileCheck %s
// RUN: %exits 3 mlgc emit %s --target=cuda 2>&1 | FileCheck %s --check-prefix=CUDA
// CHECK: per-lane-reduction.mlir:[[@LINE+4]]:8: error: source cannot be emitted for a reduction whose lanes take several iterations at a time
// CUDA: per-lane-reduction.mlir:[[@LINE+3]]:8: error: source cannot be emitted for lanes that carry values in a host function: move the loop into a loop function
func @summed(%x: buffer<[N]xf32, argument>, %y: buffer<1xf32, argument>) attributes {results = 1} {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, N] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 8, per_lane = 4} {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[0]
  return
}
