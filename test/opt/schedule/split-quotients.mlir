// A loop whose index is divided becomes two, and subscripts name their indices; loops that are contiguous then become one.
// RUN: mlgc opt %s --schedule -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// CHECK-NOT: floordiv
// CHECK-NOT: {{ mod }}
// CHECK: %packed = alloc : buffer<5x40x32xf32, thread>
// CHECK: for [0, 200] (%[[K:.*]]: index,
// CHECK: load %packed_flat[%[[K]], %n - min(168, 32*%n_o)] : f32
// CHECK: load %x_flat[{{.*}}, %[[K]]] : f32
// SAME: y: agrees
func @f(%x: buffer<3x99x5x40xf32, argument>, %x_2: buffer<200x200xf32, argument>, %x_3: buffer<200xf32, argument>, %y: buffer<3x99x200xf32, argument>) {
  for [0, 3] (%b0: index) attributes {kind = "parallel"} {
    for [0, 99] (%b1: index) attributes {kind = "parallel"} {
      for [0, 200] (%n: index) attributes {kind = "parallel"} {
        %0 = literal {dtype = f64, value = 0.0} : f64
        %1 = for [0, 200] (%k: index, %2 = %0) {
          %3 = load %x[%b0, %b1, %k floordiv 40, %k mod 40] : f32
          %4 = load %x_2[%n, %k] : f32
          %5 = mul %3, %4 : f32
          %6 = cast %5 {dtype = f64} : f64
          %7 = add %2, %6 : f64
          yield %7
        } : f64
        %2 = cast %1 {dtype = f32} : f32
        %3 = load %x_3[%n] : f32
        %4 = add %2, %3 : f32
        store %4, %y[%b0, %b1, %n]
        yield
      }
      yield
    }
    yield
  }
  return
}
