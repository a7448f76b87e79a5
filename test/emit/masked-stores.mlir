// A store under a guard to consecutive elements is one masked store; elements that the guard keeps out stay as they were.
// RUN: mlgc emit %s | FileCheck %s
// CHECK: mlgc_store_masked(y + {{.*}}, {{.*}}, t{{[0-9]+}});
// RUN: mlgc eval %s --input=x=37xf32=iota --compare=interp,cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --input=x=5xf32=iota --compare=interp,cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --input=x=0xf32 --compare=interp,cpp | FileCheck %s --check-prefix=AGREES
// AGREES: y by cpp: agrees
// In the narrowest width and the widest the same.
// RUN: rm -rf %t.mlgcx
// RUN: mlgc compile %s --vector-bytes=all -o %t.mlgcx
// RUN: mlgc run %t.mlgcx --vector-bytes=16 --input=x=9xf32=iota | FileCheck %s --check-prefix=VALUES
// RUN: mlgc run %t.mlgcx --input=x=9xf32=iota | FileCheck %s --check-prefix=VALUES
// VALUES: [7.0, 7.0, 7.0, 7.0, 3.0, 4.0, 5.0, 6.0, 7.0]
module {
  func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
    for [0, N] (%i: index) attributes {kind = "vector", lanes = 16} {
      %0 = literal {dtype = f32, value = 7.0} : f32
      store %0, %y[%i]
      yield
    }
    for [0, N] (%i: index) attributes {kind = "vector", lanes = 16} {
      %0 = guard [%i - 3, -%i + N - 2] : i1
      if %0 {
        %v = load %x[%i] : f32
        store %v, %y[%i + 1]
        yield
      } else {
        yield
      }
      yield
    }
    return
  }
}
