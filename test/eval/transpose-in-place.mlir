// Squares of registers that are transposed in place mean the same to the interpreter and in C++, as vectors and as single
// names, once and twice, and in front of loops that read them again and again.
// RUN: mlgc eval %s --function=vectors --dim=N=3 --random-inputs=1 --compare=cpp | FileCheck %s
// RUN: mlgc eval %s --function=names --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=NAMES
// RUN: mlgc eval %s --function=names --input=x=[1,2,3,4] | FileCheck %s --check-prefix=VALUES
// RUN: mlgc emit %s --target=cpp | FileCheck %s --check-prefix=CPP
// RUN: mlgc opt %s | FileCheck %s --check-prefix=TEXT
// CHECK: y by cpp: agrees
// CHECK: z by cpp: agrees
// NAMES: y by cpp: agrees
// VALUES: y: 4xf32
// VALUES: [1.0, 3.0, 2.0, 4.0]
// TEXT: transpose_in_place %t
//
// Twice is not at all, and what nobody reads is not transposed; in front of a loop it is done before that.
// CPP-LABEL: MLGC_TARGET static int32_t vectors_kernel(
// CPP: f32x8 t_7 = {};
// CPP-NOT: mlgc_transpose(
// CPP: mlgc_transpose(u_0, u_1, u_2, u_3, u_4, u_5, u_6, u_7);
// CPP-NEXT: for (int64_t n = 0; n < N; ++n) {
// CPP-NOT: mlgc_transpose(
// CPP-LABEL: MLGC_TARGET static int32_t names_kernel(
// CPP-NOT: mlgc_transpose(
// CPP: return 0;
func @vectors(%x: buffer<[N]x8x8xf32, argument>, %y: buffer<8x8xf32, argument>, %z: buffer<[N]x8xf32, argument>) where 1 <= N {
  %t = alloc : buffer<8x8xf32, register>
  for [0, 8] (%i: index) attributes {kind = "unrolled"} {
    for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      %0 = load %x[0, %i, %j]
      store %0, %t[%i, %j]
    }
  }
  transpose_in_place %t
  transpose_in_place %t
  for [0, 8] (%k: index) attributes {kind = "unrolled"} {
    for [0, 8] (%l: index) attributes {kind = "vector", lanes = 8} {
      %0 = load %t[%k, %l]
      store %0, %y[%k, %l]
    }
  }
  transpose_in_place %t
  %u = alloc : buffer<8x8xf32, register>
  for [0, 8] (%i: index) attributes {kind = "unrolled"} {
    for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      %0 = load %x[0, %i, %j]
      store %0, %u[%i, %j]
    }
  }
  transpose_in_place %u
  for [0, N] (%n: index) {
    for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      %0 = load %u[3, %j]
      %1 = load %x[%n, 0, %j]
      %2 = add %0, %1
      store %2, %z[%n, %j]
    }
  }
  return
}
func @names(%x: buffer<4xf32, argument>, %y: buffer<4xf32, argument>) {
  %t = alloc : buffer<2x2xf32, register>
  for [0, 4] (%i: index) attributes {kind = "unrolled"} {
    %0 = load %x[%i]
    store %0, %t[%i floordiv 2, %i mod 2]
  }
  transpose_in_place %t
  for [0, 4] (%i: index) attributes {kind = "unrolled"} {
    %0 = load %t[%i floordiv 2, %i mod 2]
    store %0, %y[%i]
  }
  return
}
