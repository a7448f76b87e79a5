// Running reductions on a GPU: a block takes a row, of which each thread has a piece; of columns pieces are threads of their
// own. Under `exact` sums stay in order, and integers do not.
// RUN: mlgc opt %s -O2 --to=gpu-loops > %t && FileCheck %s < %t
// RUN: mlgc opt %s -O2 --to=gpu-loops --numerics=exact | FileCheck %s --check-prefix=EXACT
func @row(%x: tensor<300x5000xf32>) -> tensor<300x5000xf32> {
  %y = cumsum %x {dim = 1} : tensor<300x5000xf32>
  return %y
}
func @columns(%x: tensor<3000x500xbf16>) -> tensor<3000x500xbf16> {
  %y = cumsum %x {dim = 0} : tensor<3000x500xbf16>
  return %y
}
func @whole(%x: tensor<300x5000xi64>) -> tensor<300x5000xi64> {
  %y = cumsum %x {dim = 1} : tensor<300x5000xi64>
  return %y
}
// CHECK: for [0, 300] (%p0: index) attributes {kind = "parallel", schedule.strategy = "scan-in-block"} {
// CHECK: %terms = alloc : buffer<5000xf32, thread>
// CHECK-NEXT: for [0, 5000] (%j_t: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK: %reduced = alloc : buffer<239xf64, thread>
// CHECK-NEXT: %before = alloc : buffer<239xf64, thread>
// CHECK-NEXT: for [0, 239] (%j_c_o: index) attributes {kind = "vector", lanes = 256} {
// CHECK: %reduced_1 = alloc : buffer<15xf64, thread>
// CHECK-NEXT: %before_1 = alloc : buffer<15xf64, thread>
// CHECK-NEXT: for [0, 15] (%j_c_p_o: index) attributes {kind = "vector", lanes = 16} {
// CHECK: for [0, 15] (%j_c_p_q: index) attributes {kind = "vector", lanes = 16} {
// CHECK: for [0, 239] (%j_c_q: index) attributes {kind = "vector", lanes = 256} {
// CHECK: for [0, 5000] (%j_r: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK: func @columns.0.cumsum(%x: buffer<3000x500xbf16, argument>, %y: buffer<3000x500xbf16, argument>) {
// CHECK-NEXT: %reduced = alloc : buffer<91x500xf64, arena>
// CHECK-NEXT: %before = alloc : buffer<91x500xf64, arena>
// CHECK-NEXT: for [0, 91] (%j_o: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-NEXT: for [0, 500] (%q0_o: index) attributes {kind = "parallel"} {
// CHECK: for [0, 500] (%q0: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK: for [0, 91] (%j_q: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-NEXT: for [0, 500] (%q0_q: index) attributes {kind = "parallel"} {
// EXACT: func @row.0.cumsum(
// EXACT-NOT: kind = "vector"
// EXACT: func @columns.0.cumsum(
// EXACT-NOT: alloc
// EXACT: func @whole.0.cumsum(
// EXACT-NEXT: for [0, 300] (%p0: index) attributes {kind = "parallel", schedule.strategy = "scan-in-block"} {
// EXACT: for [0, 239] (%j_c_o: index) attributes {kind = "vector", lanes = 256} {
