// 16-bit floats that are only moved are copied as they lie in memory, through branches too; what is rounded and stored
// is not widened again, and what was one of them and was chosen or changed its sign is not rounded again. What lanes read
// backwards is one load and a shuffle.
// RUN: mlgc emit %s --target=cpp | FileCheck %s
// RUN: mlgc eval %s --backend=cpp --random-inputs=3 --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc compile %s --vector-bytes=all -o %t.mlgcx
// SAME-COUNT-5: 0 differ from the reference
// CHECK: for (; j + 16 <= 37; j += 16) {
// CHECK-NEXT: const ui16x16 [[A:v[0-9]+]] = mlgc_load<ui16x16>(x + {{.*}});
// CHECK-NEXT: mlgc_store({{.*}}, [[A]]);
// CHECK: mlgc_from_bfloat(mlgc_load_reversed<ui16x16>(x + r * 37 + -j + 36))
// CHECK: const ui16x16 [[B:v[0-9]+]] = mlgc_bits_of_bfloat(
// CHECK-NEXT: mlgc_store({{.*}}, [[B]]);
// CHECK: const ui16x16 [[C:v[0-9]+]] = mlgc_to_half(
// CHECK-NEXT: mlgc_store({{.*}}, [[C]]);
// CHECK: mlgc_load_reversed_part<ui16x16>(x + r * 37 + -j + 36, j_count)
// CHECK: ui16x16 [[D:v[0-9]+]] = {};
// CHECK: [[D]] = mlgc_select({{.*}}mlgc_to_half(
// CHECK: mlgc_store({{.*}}, [[D]]);
// CHECK: uint16_t [[E:v[0-9]+]];
// CHECK: [[E]] = mlgc_to_bfloat(
func @f(%x: buffer<3x37xbf16, argument>, %h: buffer<3x37xf16, argument>, %moved: buffer<3x37xbf16, argument>, %chosen: buffer<3x37xbf16, argument>, %doubled: buffer<3x37xf16, argument>, %padded: buffer<3x41xf16, argument>, %first: buffer<3xbf16, argument>) attributes {results = 5} {
  for [0, 3] (%r: index) {
    for [0, 37] (%j: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %x[%r, %j]
      store %0, %moved[%r, %j]
      %1 = load %x[%r, 36 - %j]
      %2 = cast %1 {dtype = f32}
      %3 = literal {dtype = f32, value = 0.5} : f32
      %4 = lt %2, %3
      %5 = where %4, %3, %2
      %6 = cast %5 {dtype = bf16}
      store %6, %chosen[%r, %j]
      %7 = load %h[%r, %j]
      %8 = cast %7 {dtype = f32}
      %9 = add %8, %8
      %10 = cast %9 {dtype = f16}
      store %10, %doubled[%r, %j]
    }
    for [0, 41] (%k: index) attributes {kind = "vector", lanes = 16} {
      %0 = guard [%k - 2, 38 - %k] : i1
      %1 = if %0 {
        %2 = load %h[%r, %k - 2]
        yield %2
      } else {
        %2 = literal {dtype = f16, value = 0.1} : f16
        yield %2
      } : f16
      store %1, %padded[%r, %k]
    }
    %0 = guard [%r - 1] : i1
    %1 = if %0 {
      %2 = load %x[%r, 0]
      yield %2
    } else {
      %2 = literal {dtype = bf16, value = 0.1} : bf16
      yield %2
    } : bf16
    store %1, %first[%r]
  }
  return
}
