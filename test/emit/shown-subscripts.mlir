// Of the subscripts of a `checked` access, those that loops show to be inside need no test.
// RUN: mlgc emit %s | FileCheck %s
// CHECK-LABEL: // @rows.kernel:
// CHECK: for (; j + 16 <= 32; j += 16) {
// CHECK-NEXT: const int64_t row = at[i];
// CHECK-NEXT: if (row < 0 || row >= V) {{.*}} of axis 0,
// CHECK-NEXT: mlgc_load<f32x16>
func @rows(%x: buffer<[V]x32xf32, argument>, %at: buffer<[N]xi64, argument>, %y: buffer<[N]x32xf32, argument>) {
  for [0, N] (%i: index) {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 16} {
      %row = load %at[%i] : i64
      %0 = load %x[%row, %j] {checked = true} : f32
      store %0, %y[%i, %j]
    }
  }
  return
}
