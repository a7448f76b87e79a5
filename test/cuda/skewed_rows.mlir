// Rows whose loops state a skew: pieces begin at multiples of pieces in memory, wherever the row begins, and later loops find what they read in registers. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @skewed_rows {
  func @of_warp.0.softmax_mul(%x: buffer<[N]x3x333xf32, argument>, %x_2: buffer<333xf32, argument>, %y_2: buffer<[N]x3x333xf32, argument>) {
    %y_2_flat = buffer_view %y_2 : buffer<[3*N]x333xf32, argument>
    %x_flat = buffer_view %x : buffer<[3*N]x333xf32, argument>
    for [0, 3*N] (%b0_b1: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
      %e = alloc : buffer<333xf32, thread>
      %0 = literal {dtype = f32, value = -inf} : f32
      %1 = for [0, 333, %b0_b1 mod 4] (%i2: index, %2 = %0) attributes {combine = ["max"], kind = "vector", lanes = 32, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %3 = load %x_flat[%b0_b1, %i2] : f32
        %4 = maximum %3, %2 : f32
        yield %4
      } : f32
      %2 = literal {dtype = f32, value = 0.0} : f32
      %3 = for [0, 333, %b0_b1 mod 4] (%i5: index, %4 = %2) attributes {combine = ["add"], kind = "vector", lanes = 32, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %5 = load %x_flat[%b0_b1, %i5] : f32
        %6 = sub %5, %1 : f32
        %7 = exp %6 : f32
        store %7, %e[%i5]
        %8 = add %4, %7 : f32
        yield %8
      } : f32
      for [0, 333, %b0_b1 mod 4] (%i11: index) attributes {kind = "vector", lanes = 32, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %4 = load %e[%i11] : f32
        %5 = div %4, %3 : f32
        %6 = load %x_2[%i11] : f32
        %7 = mul %5, %6 : f32
        store %7, %y_2_flat[%b0_b1, %i11]
        yield
      }
      yield
    }
    return
  }
  func @pairs.0.softmax(%x: buffer<[N]x1250xf32, argument>, %y: buffer<[N]x1250xf32, argument>) {
    for [0, N] (%i6: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
      %e = alloc : buffer<1250xf32, thread>
      %0 = literal {dtype = f32, value = -inf} : f32
      %1 = for [0, 1250, 2*(%i6 mod 2)] (%i1: index, %2 = %0) attributes {combine = ["max"], kind = "vector", lanes = 256, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %3 = load %x[%i6, %i1] : f32
        %4 = maximum %3, %2 : f32
        yield %4
      } : f32
      %2 = literal {dtype = f32, value = 0.0} : f32
      %3 = for [0, 1250, 2*(%i6 mod 2)] (%i3: index, %4 = %2) attributes {combine = ["add"], kind = "vector", lanes = 256, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %5 = load %x[%i6, %i3] : f32
        %6 = sub %5, %1 : f32
        %7 = exp %6 : f32
        store %7, %e[%i3]
        %8 = add %4, %7 : f32
        yield %8
      } : f32
      for [0, 1250, 2*(%i6 mod 2)] (%i7: index) attributes {kind = "vector", lanes = 256, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %4 = load %e[%i7] : f32
        %5 = div %4, %3 : f32
        store %5, %y[%i6, %i7]
        yield
      }
      yield
    }
    return
  }
  func @of_warp(%x: buffer<[N]x3x333xf32, argument>, %w: buffer<333xf32, argument>, %result0: buffer<[N]x3x333xf32, argument>) attributes {results = 1} {
    launch @of_warp.0.softmax_mul, %x, %w, %result0
    return
  }
  func @from_third.0.slice_sum(%x: buffer<[N]x516xf32, argument>, %y_2: buffer<[N]xf32, argument>) {
    for [0, N] (%i0: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
      %0 = literal {dtype = f32, value = 0.0} : f32
      %1 = for [0, 513, 3] (%i1: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 32, per_lane = 4, schedule.strategy = "threads-over-row"} {
        %3 = load %x[%i0, %i1 + 3] : f32
        %4 = add %2, %3 : f32
        yield %4
      } : f32
      store %1, %y_2[%i0]
      yield
    }
    return
  }
  func @of_one_piece.0.neg(%x: buffer<[N]x255xbf16, argument>, %y: buffer<[N]x255xbf16, argument>) {
    for [0, N] (%i0: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
      for [0, 255, 7*(%i0 mod 2)] (%i1: index) attributes {kind = "vector", lanes = 32, per_lane = 8, schedule.strategy = "threads-over-row"} {
        %0 = load %x[%i0, %i1] : bf16
        %1 = neg %0 : bf16
        store %1, %y[%i0, %i1]
        yield
      }
      yield
    }
    return
  }
  func @of_one_piece(%x: buffer<[N]x255xbf16, argument>, %result0: buffer<[N]x255xbf16, argument>) attributes {results = 1} {
    launch @of_one_piece.0.neg, %x, %result0
    return
  }
  func @pairs(%x: buffer<[N]x1250xf32, argument>, %result0: buffer<[N]x1250xf32, argument>) attributes {results = 1} {
    launch @pairs.0.softmax, %x, %result0
    return
  }
  func @from_third(%x: buffer<[N]x516xf32, argument>, %result0: buffer<[N]xf32, argument>) attributes {results = 1} {
    launch @from_third.0.slice_sum, %x, %result0
    return
  }
}
// CHECK: of_warp_0_softmax_mul_kernel1(
// CHECK: mlgc_read_piece<4, kAligned>(x + b0_b1 * 333 + i2_first);
// CHECK: pairs_0_softmax_kernel1(
// CHECK: int64_t(2 * (i6 & 1))
// CHECK: from_third_0_slice_sum_kernel1(
// CHECK: mlgc_read_piece<4, kAligned>(x + i0 * 516 + i1_first + 3);
