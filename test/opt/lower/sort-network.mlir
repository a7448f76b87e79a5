// For a GPU a row is sorted by a network: eight keys a thread, one element further apart than they are many, and steps of
// three bits at a time. Nothing in it says whether iterations meet but subscripts.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops{device=gpu}' | FileCheck %s
// RUN: %exits 2 mlgc opt %s --pass-pipeline='fuse,lower-to-loops{device=tpu}' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: mlgc: error: option `device` of pass `lower-to-loops`: expected cpu or gpu, found `tpu`
func @f(%x: tensor<[B]x300xf32>) -> (tensor<[B]x300xf32>, tensor<[B]x300xi64>) {
  %y, %i = sort %x {dim = 1} : tensor<[B]x300xf32>, tensor<[B]x300xi64>
  return %y, %i
}
// CHECK: %held = alloc : buffer<576xi64, thread>
// CHECK: for [300, 512] (%i: index) attributes {kind = "vector", lanes = 64} {
// CHECK-NEXT: %0 = literal {dtype = i64, value = 9223372036854775807} : i64
// CHECK-NEXT: store %0, %by_thread[%i floordiv 8, %i mod 8]
// CHECK: %keys_1 = buffer_view %held : buffer<8x8x1x9xi64, thread>
// CHECK-NEXT: for [0, 64] (%t: index) attributes {kind = "vector", lanes = 64} {
// CHECK-NEXT: %0 = load %keys_1[%t floordiv 8, 0, 0, %t mod 8] : i64
// CHECK-NEXT: %1 = load %keys_1[%t floordiv 8, 1, 0, -(%t mod 8) + 7] : i64
// CHECK-NEXT: %2 = load %keys_1[%t floordiv 8, 2, 0, %t mod 8] : i64
// CHECK-NEXT: %3 = load %keys_1[%t floordiv 8, 3, 0, -(%t mod 8) + 7] : i64
// CHECK-NEXT: %4 = load %keys_1[%t floordiv 8, 4, 0, %t mod 8] : i64
// CHECK-NEXT: %5 = load %keys_1[%t floordiv 8, 5, 0, -(%t mod 8) + 7] : i64
// CHECK-NEXT: %6 = load %keys_1[%t floordiv 8, 6, 0, %t mod 8] : i64
// CHECK-NEXT: %7 = load %keys_1[%t floordiv 8, 7, 0, -(%t mod 8) + 7] : i64
// CHECK-NEXT: %8 = lt %1, %0 : i1
// CHECK-NEXT: %9 = where %8, %1, %0 : i64
// CHECK-NEXT: %10 = where %8, %0, %1 : i64
// CHECK-NEXT: %11 = lt %3, %2 : i1
// CHECK-NEXT: %12 = where %11, %3, %2 : i64
// CHECK-NEXT: %13 = where %11, %2, %3 : i64
// CHECK-NEXT: %14 = lt %5, %4 : i1
// CHECK-NEXT: %15 = where %14, %5, %4 : i64
// CHECK-NEXT: %16 = where %14, %4, %5 : i64
// CHECK-NEXT: %17 = lt %7, %6 : i1
// CHECK-NEXT: %18 = where %17, %7, %6 : i64
// CHECK-NEXT: %19 = where %17, %6, %7 : i64
// CHECK-NEXT: store %9, %keys_1[%t floordiv 8, 0, 0, %t mod 8]
// CHECK-NEXT: store %10, %keys_1[%t floordiv 8, 1, 0, -(%t mod 8) + 7]
// CHECK-NEXT: store %12, %keys_1[%t floordiv 8, 2, 0, %t mod 8]
// CHECK-NEXT: store %13, %keys_1[%t floordiv 8, 3, 0, -(%t mod 8) + 7]
// CHECK-NEXT: store %15, %keys_1[%t floordiv 8, 4, 0, %t mod 8]
// CHECK-NEXT: store %16, %keys_1[%t floordiv 8, 5, 0, -(%t mod 8) + 7]
// CHECK-NEXT: store %18, %keys_1[%t floordiv 8, 6, 0, %t mod 8]
// CHECK-NEXT: store %19, %keys_1[%t floordiv 8, 7, 0, -(%t mod 8) + 7]
// CHECK-NEXT: yield
// CHECK-NEXT: }
