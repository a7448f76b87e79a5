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
// CHECK-NEXT: %0 = literal {dtype = f64, value = 0.0} : f64
// CHECK-NEXT: %terms = alloc : buffer<5000xf32, thread>
// CHECK-NEXT: for [0, 5000] (%j_t: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK-NEXT: %1 = load %x[%p0, %j_t] : f32
// CHECK-NEXT: store %1, %terms[%j_t]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: %reduced = alloc : buffer<239xf64, thread>
// CHECK-NEXT: %before = alloc : buffer<239xf64, thread>
// CHECK-NEXT: for [0, 239] (%j_c_o: index) attributes {kind = "vector", lanes = 256} {
// CHECK-NEXT: %1 = literal {dtype = f64, value = 0.0} : f64
// CHECK-NEXT: %2 = for [21*%j_c_o, min(21*%j_c_o + 21, 5000)] (%j_c_s: index, %3 = %1) {
// CHECK-NEXT: %4 = load %terms[%j_c_s] : f32
// CHECK-NEXT: %5 = cast %4 {dtype = f64} : f64
// CHECK-NEXT: %6 = add %3, %5 : f64
// CHECK-NEXT: yield %6
// CHECK-NEXT: } : f64
// CHECK-NEXT: store %2, %reduced[%j_c_o]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: %reduced_1 = alloc : buffer<15xf64, thread>
// CHECK-NEXT: %before_1 = alloc : buffer<15xf64, thread>
// CHECK-NEXT: for [0, 15] (%j_c_p_o: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: %1 = literal {dtype = f64, value = 0.0} : f64
// CHECK-NEXT: %2 = for [17*%j_c_p_o, min(17*%j_c_p_o + 17, 239)] (%j_c_p_s: index, %3 = %1) {
// CHECK-NEXT: %4 = load %reduced[%j_c_p_s] : f64
// CHECK-NEXT: %5 = add %3, %4 : f64
// CHECK-NEXT: yield %5
// CHECK-NEXT: } : f64
// CHECK-NEXT: store %2, %reduced_1[%j_c_p_o]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: %1 = for [0, 15] (%j_c_p_p: index, %2 = %0) {
// CHECK-NEXT: store %2, %before_1[%j_c_p_p]
// CHECK-NEXT: %3 = load %reduced_1[%j_c_p_p] : f64
// CHECK-NEXT: %4 = add %2, %3 : f64
// CHECK-NEXT: yield %4
// CHECK-NEXT: } : f64
// CHECK-NEXT: for [0, 15] (%j_c_p_q: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: %2 = load %before_1[%j_c_p_q] : f64
// CHECK-NEXT: %3 = for [17*%j_c_p_q, min(17*%j_c_p_q + 17, 239)] (%j_c_p: index, %4 = %2) {
// CHECK-NEXT: store %4, %before[%j_c_p]
// CHECK-NEXT: %5 = load %reduced[%j_c_p] : f64
// CHECK-NEXT: %6 = add %4, %5 : f64
// CHECK-NEXT: yield %6
// CHECK-NEXT: } : f64
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: for [0, 239] (%j_c_q: index) attributes {kind = "vector", lanes = 256} {
// CHECK-NEXT: %2 = load %before[%j_c_q] : f64
// CHECK-NEXT: %3 = for [21*%j_c_q, min(21*%j_c_q + 21, 5000)] (%j_c: index, %4 = %2) {
// CHECK-NEXT: %5 = load %terms[%j_c] : f32
// CHECK-NEXT: %6 = cast %5 {dtype = f64} : f64
// CHECK-NEXT: %7 = add %4, %6 : f64
// CHECK-NEXT: %8 = cast %7 {dtype = f32} : f32
// CHECK-NEXT: store %8, %terms[%j_c]
// CHECK-NEXT: yield %7
// CHECK-NEXT: } : f64
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: for [0, 5000] (%j_r: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK-NEXT: %2 = load %terms[%j_r] : f32
// CHECK-NEXT: store %2, %y[%p0, %j_r]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK: func @columns.0.cumsum(%x: buffer<3000x500xbf16, argument>, %y: buffer<3000x500xbf16, argument>) {
// CHECK-NEXT: %reduced = alloc : buffer<91x500xf64, arena>
// CHECK-NEXT: %before = alloc : buffer<91x500xf64, arena>
// CHECK-NEXT: for [0, 91] (%j_o: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-NEXT: for [0, 500] (%q0_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %0 = literal {dtype = f64, value = 0.0} : f64
// CHECK-NEXT: %1 = for [33*%j_o, min(3000, 33*%j_o + 33)] (%j_s: index, %2 = %0) {
// CHECK-NEXT: %3 = load %x[%j_s, %q0_o] : bf16
// CHECK-NEXT: %4 = cast %3 {dtype = f32} : f32
// CHECK-NEXT: %5 = cast %4 {dtype = f64} : f64
// CHECK-NEXT: %6 = add %2, %5 : f64
// CHECK-NEXT: yield %6
// CHECK-NEXT: } : f64
// CHECK-NEXT: store %1, %reduced[%j_o, %q0_o]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: for [0, 500] (%q0: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-NEXT: %0 = literal {dtype = f64, value = 0.0} : f64
// CHECK-NEXT: %1 = for [0, 91] (%j_p: index, %2 = %0) {
// CHECK-NEXT: store %2, %before[%j_p, %q0]
// CHECK-NEXT: %3 = load %reduced[%j_p, %q0] : f64
// CHECK-NEXT: %4 = add %2, %3 : f64
// CHECK-NEXT: yield %4
// CHECK-NEXT: } : f64
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: for [0, 91] (%j_q: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-NEXT: for [0, 500] (%q0_q: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %0 = load %before[%j_q, %q0_q] : f64
// CHECK-NEXT: %1 = for [33*%j_q, min(3000, 33*%j_q + 33)] (%j: index, %2 = %0) {
// CHECK-NEXT: %3 = load %x[%j, %q0_q] : bf16
// CHECK-NEXT: %4 = cast %3 {dtype = f32} : f32
// CHECK-NEXT: %5 = cast %4 {dtype = f64} : f64
// CHECK-NEXT: %6 = add %2, %5 : f64
// CHECK-NEXT: %7 = cast %6 {dtype = f32} : f32
// CHECK-NEXT: %8 = cast %7 {dtype = bf16} : bf16
// CHECK-NEXT: store %8, %y[%j, %q0_q]
// CHECK-NEXT: yield %6
// CHECK-NEXT: } : f64
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield
// CHECK-NEXT: }
// EXACT: func @row.0.cumsum(
// EXACT-NOT: kind = "vector"
// EXACT: func @columns.0.cumsum(
// EXACT-NOT: alloc
// EXACT: func @whole.0.cumsum(
// EXACT-NEXT: for [0, 300] (%p0: index) attributes {kind = "parallel", schedule.strategy = "scan-in-block"} {
// EXACT: for [0, 239] (%j_c_o: index) attributes {kind = "vector", lanes = 256} {
