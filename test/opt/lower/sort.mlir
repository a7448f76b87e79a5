// Short rows are sorted by counting what is less, long ones by digits of keys, and the best few of them selected: equal elements keep their order, NaN is the largest, as by the formula.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc eval %s --function=f --input=x=1x7xf32=2.0,nan,1.0,2.0,-0.0,0.0,nan > %t.graph
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=f --input=x=1x7xf32=2.0,nan,1.0,2.0,-0.0,0.0,nan > %t.loops
// RUN: diff %t.graph %t.loops
// RUN: FileCheck %s --check-prefix=VALUES --input-file=%t.loops
// CHECK-LABEL:   func @f.0.sort(%x: buffer<[B]x[N]xf32, argument>, %values: buffer<[B]x[N]xf32, argument>, %indices: buffer<[B]x[N]xi64, argument>) where 3 <= N {
// CHECK:           %5 = for [0, N] (%j: index, %6 = %3) {
// CHECK-NEXT:             %7 = load %keys[%i] : i32
// CHECK-NEXT:             %8 = load %keys[%j] : i32
// CHECK-NEXT:             %9 = lt %8, %7 : i1
// CHECK-NEXT:             %10 = cast %9 {dtype = i32} : i32
// CHECK-NEXT:             %11 = add %6, %10 : i32
// CHECK-NEXT:             yield %11
// CHECK:         %starts = alloc : buffer<256xi32, thread>
// CHECK:         %15, %16 = while (%17 = %12, %18 = %12) {
// CHECK:             %23 = load %held[%18 mod 2, %i] : i64
// CHECK-NEXT:             %24 = sub %23, %11 : i64
// CHECK-NEXT:             %25 = bitwise_right_shift %24, %19 : i64
// CHECK-NEXT:             %26 = load %starts[%25 mod 256] : i32
// CHECK-NEXT:             %27 = cast %26 {dtype = i64} : i64
// CHECK-NEXT:             %28 = add %26, %14 : i32
// CHECK-NEXT:             store %28, %starts[%25 mod 256]
// CHECK-NEXT:             store %23, %held[%21 mod 2, %27] {checked = true}
// CHECK-LABEL:   func @f.1.topk(%x: buffer<[B]x[N]xf32, argument>, %indices: buffer<[B]x3xi64, argument>) where 3 <= N {
// CHECK:       for [0, (N - 3) ceildiv 64] (%block: index) {
// CHECK-NEXT:         %3 = literal {dtype = i1, value = 0} : i1
// CHECK-NEXT:         %4 = for [64*%block + 3, min(64*%block + 67, N)] (%i: index, %5 = %3) {
// CHECK-NEXT:           %6 = load %x[%b0, %i] : f32
// CHECK-NEXT:           %7 = load %best[3] : f32
// CHECK-NEXT:           %8 = isnan %6 : i1
// CHECK-NEXT:           %9 = logical_not %8 : i1
// CHECK-NEXT:           %10 = le %7, %6 : i1
// CHECK-NEXT:           %11 = logical_not %10 : i1
// CHECK-NEXT:           %12 = logical_and %11, %9 : i1
// CHECK-NEXT:           %13 = logical_or %12, %5 : i1
// CHECK-NEXT:           yield %13
// CHECK-NEXT:         } : i1
// CHECK-NEXT:         if %4 {
// CHECK-NEXT:           for [64*%block + 3, min(64*%block + 67, N)] (%i: index) {
// VALUES: i: 1x7xi64
// VALUES-NEXT: 1, 6, 0, 3, 2, 4, 5]
// VALUES: j: 1x3xi64
// VALUES-NEXT: 4, 5, 2]
func @f(%x: tensor<[B]x[N]xf32>) -> (tensor<[B]x[N]xf32>, tensor<[B]x[N]xi64>, tensor<[B]x3xi64>) where 3 <= N {
  %v, %i = sort %x {dim = 1, descending = true}
  %w, %j = topk %x {dim = 1, k = 3, largest = false}
  return %v, %i, %j
}
