// Convolutions of channels that are no multiple of 64, whose images the device copies as windows in boxes of 64, 32 or 16
// channels of one place (convolution_windows.mlir): boxes that end with the channels or go on beyond them, groups, tiles of 32
// columns, weights whose results are contiguous, one place, images of one and three axes, terms in parts, f16.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @tail64.0(%x: buffer<2x7x9x56xbf16, argument>, %w: buffer<64x504xbf16, argument>, %y: buffer<126x64xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 126)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 504] (%k: index, %c = %zero) {
          %in = guard [(%i mod 63) floordiv 9 + %k floordiv 168 - 1, 6 - ((%i mod 63) floordiv 9 + %k floordiv 168 - 1), %i mod 9 + (%k mod 168) floordiv 56 - 1, 8 - (%i mod 9 + (%k mod 168) floordiv 56 - 1)]
          %af = if %in {
            %a = load %x[%i floordiv 63, (%i mod 63) floordiv 9 + %k floordiv 168 - 1, %i mod 9 + (%k mod 168) floordiv 56 - 1, %k mod 56]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @tail64(%x: buffer<2x7x9x56xbf16, argument>, %w: buffer<64x504xbf16, argument>, %y: buffer<126x64xbf16, argument>) attributes {results = 1} {
  launch @tail64.0, %x, %w, %y
  return
}
func @tail32.0(%x: buffer<2x7x9x24xbf16, argument>, %w: buffer<40x216xbf16, argument>, %y: buffer<40x40xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 40)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 40] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 216] (%k: index, %c = %zero) {
          %in = guard [2*((%i mod 20) floordiv 5) + %k floordiv 72 - 1, 6 - (2*((%i mod 20) floordiv 5) + %k floordiv 72 - 1), 2*(%i mod 5) + (%k mod 72) floordiv 24 - 1, 8 - (2*(%i mod 5) + (%k mod 72) floordiv 24 - 1)]
          %af = if %in {
            %a = load %x[%i floordiv 20, 2*((%i mod 20) floordiv 5) + %k floordiv 72 - 1, 2*(%i mod 5) + (%k mod 72) floordiv 24 - 1, %k mod 24]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @tail32(%x: buffer<2x7x9x24xbf16, argument>, %w: buffer<40x216xbf16, argument>, %y: buffer<40x40xbf16, argument>) attributes {results = 1} {
  launch @tail32.0, %x, %w, %y
  return
}
func @whole32.0(%x: buffer<2x6x7x32xf16, argument>, %w: buffer<32x288xf16, argument>, %y: buffer<84x32xf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [128*%io, min(128*%io + 128, 84)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 288] (%k: index, %c = %zero) {
          %in = guard [(%i mod 42) floordiv 7 + %k floordiv 96 - 1, 5 - ((%i mod 42) floordiv 7 + %k floordiv 96 - 1), %i mod 7 + (%k mod 96) floordiv 32 - 1, 6 - (%i mod 7 + (%k mod 96) floordiv 32 - 1)]
          %af = if %in {
            %a = load %x[%i floordiv 42, (%i mod 42) floordiv 7 + %k floordiv 96 - 1, %i mod 7 + (%k mod 96) floordiv 32 - 1, %k mod 32]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = f16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @whole32(%x: buffer<2x6x7x32xf16, argument>, %w: buffer<32x288xf16, argument>, %y: buffer<84x32xf16, argument>) attributes {results = 1} {
  launch @whole32.0, %x, %w, %y
  return
}
func @whole16.0(%x: buffer<1x9x8x96xbf16, argument>, %w: buffer<64x288xbf16, argument>, %y: buffer<81x64xbf16, argument>) {
  for [0, 2] (%g: index) attributes {kind = "parallel"} {
    for [0, 2] (%io: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 81)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 288] (%k: index, %c = %zero) {
            %in = guard [(%i mod 81) floordiv 9 + %k floordiv 96 - 1, 8 - ((%i mod 81) floordiv 9 + %k floordiv 96 - 1), %i mod 9 + (%k mod 96) floordiv 48 - 1, 7 - (%i mod 9 + (%k mod 96) floordiv 48 - 1)]
            %af = if %in {
              %a = load %x[%i floordiv 81, (%i mod 81) floordiv 9 + %k floordiv 96 - 1, %i mod 9 + (%k mod 96) floordiv 48 - 1, %k mod 48 + 48*%g]
              %e = cast %a {dtype = f32}
              yield %e
            } else {
              %z = literal {dtype = f32, value = 0.0}
              yield %z
            } : f32
            %b = load %w[%j + 32*%g, %k]
            %bf = cast %b {dtype = f32}
            %t = fma %af, %bf, %c
            yield %t
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j + 32*%g]
        }
      }
    }
  }
  return
}
func @whole16(%x: buffer<1x9x8x96xbf16, argument>, %w: buffer<64x288xbf16, argument>, %y: buffer<81x64xbf16, argument>) attributes {results = 1} {
  launch @whole16.0, %x, %w, %y
  return
}
func @tail16.0(%x: buffer<3x6x5x8xbf16, argument>, %w: buffer<128x72xbf16, argument>, %y: buffer<36x128xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [128*%io, min(128*%io + 128, 36)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 128] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 72] (%k: index, %c = %zero) {
          %in = guard [(%i mod 12) floordiv 3 + 2*(%k floordiv 24) - 1, 5 - ((%i mod 12) floordiv 3 + 2*(%k floordiv 24) - 1), %i mod 3 + 2*((%k mod 24) floordiv 8) - 1, 4 - (%i mod 3 + 2*((%k mod 24) floordiv 8) - 1)]
          %af = if %in {
            %a = load %x[%i floordiv 12, (%i mod 12) floordiv 3 + 2*(%k floordiv 24) - 1, %i mod 3 + 2*((%k mod 24) floordiv 8) - 1, %k mod 8]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @tail16(%x: buffer<3x6x5x8xbf16, argument>, %w: buffer<128x72xbf16, argument>, %y: buffer<36x128xbf16, argument>) attributes {results = 1} {
  launch @tail16.0, %x, %w, %y
  return
}
func @by_lines.0(%x: buffer<2x7x5x40xbf16, argument>, %w: buffer<360x72xbf16, argument>, %y: buffer<70x72xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 70)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 72] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 360] (%k: index, %c = %zero) {
          %in = guard [(%i mod 35) floordiv 5 + %k floordiv 120 - 1, 6 - ((%i mod 35) floordiv 5 + %k floordiv 120 - 1), %i mod 5 + (%k mod 120) floordiv 40 - 1, 4 - (%i mod 5 + (%k mod 120) floordiv 40 - 1)]
          %af = if %in {
            %a = load %x[%i floordiv 35, (%i mod 35) floordiv 5 + %k floordiv 120 - 1, %i mod 5 + (%k mod 120) floordiv 40 - 1, %k mod 40]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%k, %j]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @by_lines(%x: buffer<2x7x5x40xbf16, argument>, %w: buffer<360x72xbf16, argument>, %y: buffer<70x72xbf16, argument>) attributes {results = 1} {
  launch @by_lines.0, %x, %w, %y
  return
}
func @point.0(%x: buffer<2x9x7x72xbf16, argument>, %w: buffer<64x72xbf16, argument>, %y: buffer<40x64xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 40)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 72] (%k: index, %c = %zero) {
          %a = load %x[%i floordiv 20, 2*((%i mod 20) floordiv 4), 2*(%i mod 4), %k]
          %af = cast %a {dtype = f32}
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @point(%x: buffer<2x9x7x72xbf16, argument>, %w: buffer<64x72xbf16, argument>, %y: buffer<40x64xbf16, argument>) attributes {results = 1} {
  launch @point.0, %x, %w, %y
  return
}
func @line.0(%x: buffer<2x41x104xf16, argument>, %w: buffer<64x520xf16, argument>, %y: buffer<44x64xf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 44)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 520] (%k: index, %c = %zero) {
          %in = guard [2*(%i mod 22) + %k floordiv 104 - 3, 40 - (2*(%i mod 22) + %k floordiv 104 - 3)]
          %af = if %in {
            %a = load %x[%i floordiv 22, 2*(%i mod 22) + %k floordiv 104 - 3, %k mod 104]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = f16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @line(%x: buffer<2x41x104xf16, argument>, %w: buffer<64x520xf16, argument>, %y: buffer<44x64xf16, argument>) attributes {results = 1} {
  launch @line.0, %x, %w, %y
  return
}
func @volume.0(%x: buffer<2x4x5x6x16xbf16, argument>, %w: buffer<64x288xbf16, argument>, %y: buffer<300x64xbf16, argument>) {
  for [0, 3] (%io: index) attributes {kind = "parallel"} {
    for [128*%io, min(128*%io + 128, 300)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 288] (%k: index, %c = %zero) {
          %in = guard [(%i mod 150) floordiv 30 + %k floordiv 144 - 1, 3 - ((%i mod 150) floordiv 30 + %k floordiv 144 - 1), (%i mod 30) floordiv 6 + (%k mod 144) floordiv 48 - 1, 4 - ((%i mod 30) floordiv 6 + (%k mod 144) floordiv 48 - 1), %i mod 6 + (%k mod 48) floordiv 16 - 1, 5 - (%i mod 6 + (%k mod 48) floordiv 16 - 1)]
          %af = if %in {
            %a = load %x[%i floordiv 150, (%i mod 150) floordiv 30 + %k floordiv 144 - 1, (%i mod 30) floordiv 6 + (%k mod 144) floordiv 48 - 1, %i mod 6 + (%k mod 48) floordiv 16 - 1, %k mod 16]
            %e = cast %a {dtype = f32}
            yield %e
          } else {
            %z = literal {dtype = f32, value = 0.0}
            yield %z
          } : f32
          %b = load %w[%j, %k]
          %bf = cast %b {dtype = f32}
          %t = fma %af, %bf, %c
          yield %t
        }
        %o = cast %s {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @volume(%x: buffer<2x4x5x6x16xbf16, argument>, %w: buffer<64x288xbf16, argument>, %y: buffer<300x64xbf16, argument>) attributes {results = 1} {
  launch @volume.0, %x, %w, %y
  return
}
func @parts.0(%x: buffer<2x6x5x112xbf16, argument>, %w: buffer<64x1008xbf16, argument>, %y: buffer<4x60x64xf32, argument>) {
  for [0, 4] (%p: index) attributes {kind = "parallel"} {
    for [0, 1] (%io: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 60)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [336*%p, min(336*%p + 336, 1008)] (%k: index, %c = %zero) {
            %in = guard [(%i mod 30) floordiv 5 + %k floordiv 336 - 1, 5 - ((%i mod 30) floordiv 5 + %k floordiv 336 - 1), %i mod 5 + (%k mod 336) floordiv 112 - 1, 4 - (%i mod 5 + (%k mod 336) floordiv 112 - 1)]
            %af = if %in {
              %a = load %x[%i floordiv 30, (%i mod 30) floordiv 5 + %k floordiv 336 - 1, %i mod 5 + (%k mod 336) floordiv 112 - 1, %k mod 112]
              %e = cast %a {dtype = f32}
              yield %e
            } else {
              %z = literal {dtype = f32, value = 0.0}
              yield %z
            } : f32
            %b = load %w[%j, %k]
            %bf = cast %b {dtype = f32}
            %t = fma %af, %bf, %c
            yield %t
          }
          store %s, %y[%p, %i, %j]
        }
      }
    }
  }
  return
}
func @parts(%x: buffer<2x6x5x112xbf16, argument>, %w: buffer<64x1008xbf16, argument>, %y: buffer<4x60x64xf32, argument>) attributes {results = 1} {
  launch @parts.0, %x, %w, %y
  return
}
// CHECK-DAG: mlgc_map_windows<2>(&left_map, x, 64, 2, 56, {{[{]+}}7, 7, -1, 1, 2}, {9, 9, -1, 1, 2{{[}]+}}) && mlgc_map_factor(&right_map, w, true, 64, 56, 504, 64, int64_t{9}, int64_t{56})
// CHECK-DAG: mlgc_bring_places<mlgc_tensor_tile<mlgc_matrix_bf16, 64, 64, 1, true, true>, 56, 64>
// CHECK-DAG: multiply(ring, sums_2, 0, (504 - 0) / 56 * 64);
// CHECK-DAG: mlgc_map_windows<2, 32>(&left_map, x, 64, 2, 24,
// CHECK-DAG: mlgc_bring_places<mlgc_tensor_tile<mlgc_matrix_f16, 128, 32, 1, true, true, 32>, 32, 32>
// CHECK-DAG: mlgc_map_factor<16>(&right_map, w, true, 32, 48, 288, 32, int64_t{6}, int64_t{48}, int64_t{2}, int64_t{9216})
// CHECK-DAG: mlgc_bring_places<mlgc_tensor_tile<mlgc_matrix_bf16, 128, 128, 2, true, true, 16>, 8, 16>
// CHECK-DAG: mlgc_map_factor(&right_map, w, false, 72, 40, 72, 128, int64_t{9}, int64_t{2880})
// CHECK-DAG: mlgc_map_windows<1>(&left_map, x, 64, 2, 104,
// CHECK-DAG: mlgc_map_windows<3, 16>(&left_map, x, 128, 2, 16,
// CHECK-DAG: multiply(ring, sums_2, 0, (k_end_2 - k_first_2) / 112 * 128);
