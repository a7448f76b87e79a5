// Subscripts are divided without branches on signs: by powers of two as shifts, whatever the sign, by other constants as C
// divides where the loops show that nothing is negative.
// RUN: mlgc emit %s --target=cpp | FileCheck %s
// CHECK: const float v0 = x[((i >> 4)) * 16 + (i & 15)];
// CHECK: const float v1 = z[((i / 12)) * 12 + (i % 12)];
// CHECK: const float v3 = x[((mlgc_mod(d, int64_t{12}))) * 16];
// RUN: mlgc eval %s --backend=cpp --random-inputs=1 --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: y by cpp: agrees
// SAME: y by interp: agrees
func @f(%w: buffer<192xi64, argument>, %x: buffer<12x16xf32, argument>, %z: buffer<16x12xf32, argument>, %y: buffer<192x8xf32, argument>) attributes {results = 1} {
  for [0, 192] (%i: index) {
    %0 = load %x[%i floordiv 16, %i mod 16]
    %1 = load %z[%i floordiv 12, %i mod 12]
    %2 = add %0, %1
    %d = load %w[%i]
    %3 = load %x[%d mod 12, 0]
    %4 = add %2, %3
    for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      store %4, %y[%i, %j]
    }
  }
  return
}
