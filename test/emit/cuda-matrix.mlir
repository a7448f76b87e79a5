// A matrix loop: the sums of a tile in shared memory, by functions of the prelude; then each thread takes neighbouring columns of
// a row, which it stores as a piece where all are there.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// RUN: mlgc emit %s --target=cpp | FileCheck %s --check-prefix=CPP
func @product(%x: buffer<[M]x[K]xbf16, argument>, %w: buffer<[K]x[N]xbf16, argument>, %y: buffer<[M]x[N]xbf16, argument>) {
  for [0, M ceildiv 64] (%io: index) attributes {kind = "parallel"} {
    for [0, N ceildiv 32] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, M)] (%i: index) attributes {kind = "matrix", stages = 3} {
        for [32*%jo, min(32*%jo + 32, N)] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, K] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b = load %w[%k, %j]
            %af = cast %a {dtype = f32}
            %bf = cast %b {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
// CHECK: cp.async.cg.shared.global
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: __global__ static void __launch_bounds__(128) product
// CHECK: mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 3, true, false, 128, 32, 8>::sums_of_thread sums_of_thread;
// CHECK-NEXT: mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 3, true, false, 128, 32, 8>::multiply(sums_of_thread, scratch, K, mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 3, true, false, 128, 32, 8>::strided_left(x + i_first * K, K, i_end - i_first, K), mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 3, true, false, 128, 32, 8>::strided_right(w + j_first, N, j_end - j_first, K));
// CHECK-NEXT: const float* const sums = mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 3, true, false, 128, 32, 8>::put(sums_of_thread, scratch, 0);
// CHECK-NEXT: for (int piece = threadIdx.x; piece < 256; piece += 128) {
// CHECK-NEXT: const int row = piece / 4, column = piece % 4 * 8;
// CHECK-NEXT: const int64_t i = i_first + row, j_own = j_first + column;
// CHECK-NEXT: const float* const own_sums = sums + row * 40 + column;
// CHECK-NEXT: mlgc_piece<uint16_t, 8> y_row = {};
// CHECK-NEXT: bool y_row_holds = false;
// CHECK-NEXT: if (i < i_end && j_own < j_end) {
// CHECK-NEXT: if (j_own + 8 <= j_end) {
// CHECK: y_row = mlgc_bfloats_of(y_piece);
// CHECK-NEXT: y_row_holds = true;
// CHECK: } else {
// CHECK: if (j < j_end) {
// CHECK: y[i * N + j] = o{{.*}};
// CHECK: mlgc_write_row_piece<4>(y, i * N + j_own, y_row, y_row_holds);
// CPP-NOT: matrix_tile
// CPP: mlgc_fma_f32
