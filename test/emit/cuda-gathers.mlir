// Places that the data say. Of a row the index is loaded and tested once, and the row is copied by pieces; places of neighbours,
// and of all iterations of a thread's loop, are tested before the first of them is read. What a host function tests of elements,
// and does nothing with them after, a kernel tests: the call waits for nothing.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @gathers {
  // CHECK: void {{.*}} rows_0_embedding_kernel1(
  // CHECK: const int64_t v0 = x_2[b0];
  // CHECK-NEXT: if (v0 < 0 || v0 >= 3000) { mlgc_fail(failure, {{[0-9]+}}, v0, 3000); return; }
  // CHECK-NOT: x_2[
  // CHECK: const mlgc_piece<uint16_t, 8> x_piece = mlgc_read_piece<8, kAligned>(x + v0 * 768 + d_first);
  // CHECK-NOT: x_2[
  // CHECK: mlgc_write_piece<kAligned>(
  func @rows(%t: tensor<3000x768xbf16>, %i: tensor<[N]xi64>) -> tensor<[N]x768xbf16> {
    %y = embedding %t, %i
    return %y
  }
  // CHECK: void {{.*}} taken_0_gather_kernel1(
  // CHECK: const mlgc_piece<int64_t, 4> x_2_piece = mlgc_read_piece<4, kAligned>(
  // CHECK: for (int neighbour = 0;
  // CHECK: mlgc_fail(
  // CHECK: for (int neighbour = 0;
  // CHECK-NOT: mlgc_fail(
  // CHECK: y_piece.values[neighbour] =
  func @taken(%t: tensor<3000x1000xf32>, %i: tensor<3000x512xi64>) -> tensor<3000x512xf32> {
    %y = gather %t, %i {dim = 1}
    return %y
  }
  // CHECK: void {{.*}} bag_0_embedding_sum_kernel1(
  // CHECK: bool outside = false;
  // CHECK: outside |= [[AT:v[0-9]+]] < 0 || [[AT]] >= 3000;
  // CHECK: if (outside) {
  // CHECK: mlgc_fail(
  // CHECK: #pragma unroll 4
  // CHECK-NOT: mlgc_fail(
  // CHECK: y[
  func @bag(%t: tensor<3000x461xf32>, %i: tensor<429x86xi64>) -> tensor<429x461xf32> {
    %e = embedding %t, %i
    %y = sum %e {dim = [1]}
    return %y
  }
  // CHECK: void {{.*}} classes_kernel1(mlgc_failure* failure, const int64_t* __restrict__ count) {
  // CHECK: const int64_t v0 = count[0];
  // CHECK-NEXT: if (!(((v0 >= 0) && (-v0 >= 0)))) { mlgc_fail(failure, {{[0-9]+}}); return; }
  // CHECK: static int32_t classes(const mlgc_call* call) {
  // CHECK-NOT: mlgc_fetch(
  // CHECK: mlgc_launch(runtime, classes_kernel1, 1, 32, 0, failure, count)
  func @classes(%i: tensor<[N]xi64>) -> tensor<[N]x8xi64> {
    %low = lt %i {other = 0} : tensor<[N]xi1>
    %high = ge %i {other = 8} : tensor<[N]xi1>
    %bad = logical_or %low, %high
    %count = sum %bad {dim = [0]} : tensor<i64>
    check [%count, -%count] {message = "a class is outside"}
    %y = one_hot %i {num_classes = 8}
    return %y
  }
}
// CHECK: static const mlgc_queue mlgc_queues[] = {
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: {1, 1},
