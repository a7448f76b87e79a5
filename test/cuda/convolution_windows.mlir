// Convolutions whose images the device copies as windows (TMA in its im2col mode), as loop text that says how large tiles
// are: 64 channels and more, images of one to three axes with odd sizes, borders, borders on one side and none, strides,
// dilations, groups, tiles of parts of an image and of several, images of unknown number, terms in parts, windows as
// columns, f16. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @plain.0(%x: buffer<3x9x11x64xbf16, argument>, %w: buffer<64x576xbf16, argument>, %r: buffer<297x64xbf16, argument>, %y: buffer<297x64xbf16, argument>) {
  for [0, 5] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 297)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 576] (%k: index, %c = %zero) {
          %g = guard [(%i mod 99) floordiv 11 + %k floordiv 192 - 1, 8 - ((%i mod 99) floordiv 11 + %k floordiv 192 - 1), %i mod 11 + (%k mod 192) floordiv 64 - 1, 10 - (%i mod 11 + (%k mod 192) floordiv 64 - 1)]
          %af = if %g {
            %a = load %x[%i floordiv 99, (%i mod 99) floordiv 11 + %k floordiv 192 - 1, %i mod 11 + (%k mod 192) floordiv 64 - 1, %k mod 64]
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
        %u = load %r[%i, %j]
        %uf = cast %u {dtype = f32}
        %v = add %s, %uf
        %o = cast %v {dtype = bf16}
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
func @plain(%x: buffer<3x9x11x64xbf16, argument>, %w: buffer<64x576xbf16, argument>, %r: buffer<297x64xbf16, argument>, %y: buffer<297x64xbf16, argument>) attributes {results = 1} {
  launch @plain.0, %x, %w, %r, %y
  return
}
func @strided.0(%x: buffer<5x12x9x64xbf16, argument>, %w: buffer<72x576xbf16, argument>, %y: buffer<150x72xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, 150)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 576] (%k: index, %c = %zero) {
            %g = guard [2*((%i mod 30) floordiv 5) + %k floordiv 192 - 1, 2*(%i mod 5) + (%k mod 192) floordiv 64 - 1, 8 - (2*(%i mod 5) + (%k mod 192) floordiv 64 - 1)]
            %af = if %g {
              %a = load %x[%i floordiv 30, 2*((%i mod 30) floordiv 5) + %k floordiv 192 - 1, 2*(%i mod 5) + (%k mod 192) floordiv 64 - 1, %k mod 64]
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
  }
  return
}
func @strided(%x: buffer<5x12x9x64xbf16, argument>, %w: buffer<72x576xbf16, argument>, %y: buffer<150x72xbf16, argument>) attributes {results = 1} {
  launch @strided.0, %x, %w, %y
  return
}
func @dilated.0(%x: buffer<1x17x10x64xf16, argument>, %w: buffer<128x384xf16, argument>, %y: buffer<180x128xf16, argument>) {
  for [0, 3] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 180)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 128] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 384] (%k: index, %c = %zero) {
          %g = guard [%i floordiv 12 + 3*(%k floordiv 128) - 2, 16 - (%i floordiv 12 + 3*(%k floordiv 128) - 2), %i mod 12 + 4*((%k mod 128) floordiv 64) - 3, 9 - (%i mod 12 + 4*((%k mod 128) floordiv 64) - 3)]
          %af = if %g {
            %a = load %x[0, %i floordiv 12 + 3*(%k floordiv 128) - 2, %i mod 12 + 4*((%k mod 128) floordiv 64) - 3, %k mod 64]
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
func @dilated(%x: buffer<1x17x10x64xf16, argument>, %w: buffer<128x384xf16, argument>, %y: buffer<180x128xf16, argument>) attributes {results = 1} {
  launch @dilated.0, %x, %w, %y
  return
}
func @points.0(%x: buffer<5x13x9x128xbf16, argument>, %w: buffer<64x128xbf16, argument>, %y: buffer<75x64xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 75)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 128] (%k: index, %c = %zero) {
          %a = load %x[%i floordiv 15, 3*((%i mod 15) floordiv 3), 4*(%i mod 3), %k mod 128]
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
func @points(%x: buffer<5x13x9x128xbf16, argument>, %w: buffer<64x128xbf16, argument>, %y: buffer<75x64xbf16, argument>) attributes {results = 1} {
  launch @points.0, %x, %w, %y
  return
}
func @valid.0(%x: buffer<1x34x11x64xbf16, argument>, %w: buffer<64x576xbf16, argument>, %y: buffer<288x64xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [256*%io, min(256*%io + 256, 288)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 576] (%k: index, %c = %zero) {
          %a = load %x[0, %i floordiv 9 + %k floordiv 192, %i mod 9 + (%k mod 192) floordiv 64, %k mod 64]
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
func @valid(%x: buffer<1x34x11x64xbf16, argument>, %w: buffer<64x576xbf16, argument>, %y: buffer<288x64xbf16, argument>) attributes {results = 1} {
  launch @valid.0, %x, %w, %y
  return
}
func @one_side.0(%x: buffer<2x8x7x64xbf16, argument>, %w: buffer<136x384xbf16, argument>, %y: buffer<112x136xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 112)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 136] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 384] (%k: index, %c = %zero) {
          %g = guard [(%i mod 56) floordiv 7 + %k floordiv 192 - 1, 6 - (%i mod 7 + (%k mod 192) floordiv 64)]
          %af = if %g {
            %a = load %x[%i floordiv 56, (%i mod 56) floordiv 7 + %k floordiv 192 - 1, %i mod 7 + (%k mod 192) floordiv 64, %k mod 64]
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
func @one_side(%x: buffer<2x8x7x64xbf16, argument>, %w: buffer<136x384xbf16, argument>, %y: buffer<112x136xbf16, argument>) attributes {results = 1} {
  launch @one_side.0, %x, %w, %y
  return
}
func @groups.0(%x: buffer<2x8x9x128xbf16, argument>, %w: buffer<128x576xbf16, argument>, %y: buffer<144x128xbf16, argument>) {
  for [0, 2] (%g: index) attributes {kind = "parallel"} {
    for [0, 3] (%io: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 144)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 576] (%k: index, %c = %zero) {
            %g1 = guard [(%i mod 72) floordiv 9 + %k floordiv 192 - 1, 7 - ((%i mod 72) floordiv 9 + %k floordiv 192 - 1), %i mod 9 + (%k mod 192) floordiv 64 - 1, 8 - (%i mod 9 + (%k mod 192) floordiv 64 - 1)]
            %af = if %g1 {
              %a = load %x[%i floordiv 72, (%i mod 72) floordiv 9 + %k floordiv 192 - 1, %i mod 9 + (%k mod 192) floordiv 64 - 1, %k mod 64 + 64*%g]
              %e = cast %a {dtype = f32}
              yield %e
            } else {
              %z = literal {dtype = f32, value = 0.0}
              yield %z
            } : f32
            %b = load %w[%j + 64*%g, %k]
            %bf = cast %b {dtype = f32}
            %t = fma %af, %bf, %c
            yield %t
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j + 64*%g]
        }
      }
    }
  }
  return
}
func @groups(%x: buffer<2x8x9x128xbf16, argument>, %w: buffer<128x576xbf16, argument>, %y: buffer<144x128xbf16, argument>) attributes {results = 1} {
  launch @groups.0, %x, %w, %y
  return
}
func @line.0(%x: buffer<3x67x64xbf16, argument>, %w: buffer<64x320xbf16, argument>, %y: buffer<105x64xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 105)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 320] (%k: index, %c = %zero) {
          %g = guard [2*(%i mod 35) + %k floordiv 64 - 3, 66 - (2*(%i mod 35) + %k floordiv 64 - 3)]
          %af = if %g {
            %a = load %x[%i floordiv 35, 2*(%i mod 35) + %k floordiv 64 - 3, %k mod 64]
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
func @line(%x: buffer<3x67x64xbf16, argument>, %w: buffer<64x320xbf16, argument>, %y: buffer<105x64xbf16, argument>) attributes {results = 1} {
  launch @line.0, %x, %w, %y
  return
}
func @volume.0(%x: buffer<2x4x5x6x64xbf16, argument>, %w: buffer<64x1152xbf16, argument>, %y: buffer<108x64xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [64*%io, min(64*%io + 64, 108)] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 1152] (%k: index, %c = %zero) {
          %g = guard [2*((%i mod 18) floordiv 6) + (%k mod 576) floordiv 192 - 1, 4 - (2*((%i mod 18) floordiv 6) + (%k mod 576) floordiv 192 - 1), %i mod 6 + (%k mod 192) floordiv 64 - 1, 5 - (%i mod 6 + (%k mod 192) floordiv 64 - 1)]
          %af = if %g {
            %a = load %x[%i floordiv 54, (%i mod 54) floordiv 18 + %k floordiv 576, 2*((%i mod 18) floordiv 6) + (%k mod 576) floordiv 192 - 1, %i mod 6 + (%k mod 192) floordiv 64 - 1, %k mod 64]
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
func @volume(%x: buffer<2x4x5x6x64xbf16, argument>, %w: buffer<64x1152xbf16, argument>, %y: buffer<108x64xbf16, argument>) attributes {results = 1} {
  launch @volume.0, %x, %w, %y
  return
}
func @images.0(%x: buffer<[N]x7x5x64xbf16, argument>, %w: buffer<64x576xbf16, argument>, %y: buffer<[N]x35x64xbf16, argument>) {
  for [0, N] (%n: index) attributes {kind = "parallel"} {
    for [0, 35] (%i: index) attributes {kind = "matrix", stages = 4} {
      for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
        %zero = literal {dtype = f32, value = 0.0}
        %s = for [0, 576] (%k: index, %c = %zero) {
          %g = guard [%i floordiv 5 + %k floordiv 192 - 1, 6 - (%i floordiv 5 + %k floordiv 192 - 1), %i mod 5 + (%k mod 192) floordiv 64 - 1, 4 - (%i mod 5 + (%k mod 192) floordiv 64 - 1)]
          %af = if %g {
            %a = load %x[%n, %i floordiv 5 + %k floordiv 192 - 1, %i mod 5 + (%k mod 192) floordiv 64 - 1, %k mod 64]
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
        store %o, %y[%n, %i, %j]
      }
    }
  }
  return
}
func @images(%x: buffer<[N]x7x5x64xbf16, argument>, %w: buffer<64x576xbf16, argument>, %y: buffer<[N]x35x64xbf16, argument>) attributes {results = 1} {
  launch @images.0, %x, %w, %y
  return
}
func @columns.0(%x: buffer<3x9x7x64xbf16, argument>, %w: buffer<72x576xbf16, argument>, %y: buffer<72x189xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 3] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 72)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 189)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 576] (%k: index, %c = %zero) {
            %g = guard [(%j mod 63) floordiv 7 + %k floordiv 192 - 1, 8 - ((%j mod 63) floordiv 7 + %k floordiv 192 - 1), %j mod 7 + (%k mod 192) floordiv 64 - 1, 6 - (%j mod 7 + (%k mod 192) floordiv 64 - 1)]
            %af = if %g {
              %a = load %x[%j floordiv 63, (%j mod 63) floordiv 7 + %k floordiv 192 - 1, %j mod 7 + (%k mod 192) floordiv 64 - 1, %k mod 64]
              %e = cast %a {dtype = f32}
              yield %e
            } else {
              %z = literal {dtype = f32, value = 0.0}
              yield %z
            } : f32
            %b = load %w[%i, %k]
            %bf = cast %b {dtype = f32}
            %t = fma %af, %bf, %c
            yield %t
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @columns(%x: buffer<3x9x7x64xbf16, argument>, %w: buffer<72x576xbf16, argument>, %y: buffer<72x189xbf16, argument>) attributes {results = 1} {
  launch @columns.0, %x, %w, %y
  return
}
func @parts.0(%x: buffer<3x7x5x128xbf16, argument>, %w: buffer<64x1152xbf16, argument>, %y: buffer<4x105x64xf32, argument>) {
  for [0, 4] (%p: index) attributes {kind = "parallel"} {
    for [0, 2] (%io: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 105)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [0, 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [320*%p, min(320*%p + 320, 1152)] (%k: index, %c = %zero) {
            %g = guard [(%i mod 35) floordiv 5 + %k floordiv 384 - 1, 6 - ((%i mod 35) floordiv 5 + %k floordiv 384 - 1), %i mod 5 + (%k mod 384) floordiv 128 - 1, 4 - (%i mod 5 + (%k mod 384) floordiv 128 - 1)]
            %af = if %g {
              %a = load %x[%i floordiv 35, (%i mod 35) floordiv 5 + %k floordiv 384 - 1, %i mod 5 + (%k mod 384) floordiv 128 - 1, %k mod 128]
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
func @parts(%x: buffer<3x7x5x128xbf16, argument>, %w: buffer<64x1152xbf16, argument>, %y: buffer<4x105x64xf32, argument>) attributes {results = 1} {
  launch @parts.0, %x, %w, %y
  return
}
// CHECK-DAG: mlgc_map_windows<2>(&left_map, x, 64, 3, 64, {{[{]+}}9, 9, -1, 1, 2}, {11, 11, -1, 1, 2{{[}]+}})
// CHECK-DAG: mlgc_map_windows<2>(&left_map, x, 128, 5, 64, {{[{]+}}12, 6, -1, 2, 2}, {9, 5, -1, 2, 2{{[}]+}})
// CHECK-DAG: mlgc_map_windows<2>(&left_map, x, 64, 5, 128, {{[{]+}}13, 5, 0, 3, 0}, {9, 3, 0, 4, 0{{[}]+}})
// CHECK-DAG: mlgc_map_windows<1>(&left_map, x, 64, 3, 64, {{[{]+}}67, 35, -3, 2, 4{{[}]+}})
// CHECK-DAG: mlgc_map_windows<3>(&left_map, x, 64, 2, 64, {{[{]+}}4, 3, 0, 1, 1}, {5, 3, -1, 2, 2}, {6, 6, -1, 1, 2{{[}]+}})
// CHECK-DAG: mlgc_map_windows<2>(&left_map, x, 64, N, 64, {{[{]+}}7, 7, -1, 1, 2}, {5, 5, -1, 1, 2{{[}]+}})
// CHECK-DAG: mlgc_map_windows<2>(&right_map, x, 64, 3, 64, {{[{]+}}9, 9, -1, 1, 2}, {7, 7, -1, 1, 2{{[}]+}})
