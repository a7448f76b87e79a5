// A factor of a product that is computed, a gate times an image, is computed once for all panels of columns, in lanes along the
// sum, and read by each tile of rows; in the sum one lane would compute it for each panel.
// RUN: mlgc opt %s --schedule --machine=x86-64-v3 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --random-inputs=2 --output=@%t.npz
// RUN: mlgc eval %t.mlir --random-inputs=2 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: y: agrees
// CHECK: for [0, 8] (%p_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %packed = alloc : buffer<[[ROWS:[0-9]+]]x120xf32, thread>
// CHECK: attributes {kind = "vector", lanes = 64} {
// CHECK-NEXT: %[[GATE:.*]] = load %gate[%c_in] : f32
// CHECK-NEXT: %[[X:.*]] = load %x[%p_in, %c_in] : f32
// CHECK-NEXT: %[[M:.*]] = mul %[[GATE]], %[[X]] : f32
// CHECK-NEXT: store %[[M]], %packed[
// CHECK: for [0, 3] (%o: index) {
// CHECK-NOT: mul
// CHECK: return
module {
  func @gated(%gate: buffer<120xf32, argument>, %x: buffer<784x120xf32, argument>, %w: buffer<3x120x16xf32, argument>, %y: buffer<784x40xf32, argument>) {
    for [0, 784] (%p: index) attributes {kind = "parallel"} {
      for [0, 3] (%o: index) attributes {kind = "parallel"} {
        for [16*%o, min(16*%o + 16, 40)] (%j: index) {
          %0 = literal {dtype = f64, value = 0.0} : f64
          %1 = for [0, 120] (%c: index, %2 = %0) {
            %3 = load %gate[%c] : f32
            %4 = load %x[%p, %c] : f32
            %5 = mul %3, %4 : f32
            %6 = load %w[%o, %c, %j - 16*%o] : f32
            %7 = mul %5, %6 : f32
            %8 = cast %7 {dtype = f64} : f64
            %9 = add %2, %8 : f64
            yield %9
          } : f64
          %2 = cast %1 {dtype = f32} : f32
          %10 = literal {dtype = f32, value = 1.0} : f32
          %11 = exp %2 : f32
          %12 = add %11, %10 : f32
          %13 = div %2, %12 : f32
          store %13, %y[%p, %j]
          yield
        }
        yield
      }
      yield
    }
    return
  }
}
