// Tiles of few rows, of which the matrix unit computes the transposed product, as loop text that says how large they are: each order of
// the right factor, edges, batches, terms in parts, rows in unknown number, one and two groups of warps. Where the rows are contiguous, or lines no
// multiple of 16 bytes, threads copy the factors: 16, 8, 4 or 2 bytes at a time.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @five.0(%x: buffer<5x840xbf16, argument>, %w: buffer<136x840xbf16, argument>, %b: buffer<136xbf16, argument>, %y: buffer<5x136xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 3] (%jo: index) attributes {kind = "parallel"} {
      for [8*%io, min(8*%io + 8, 5)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 136)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 840] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %v = load %b[%j]
          %vf = cast %v {dtype = f32}
          %t = add %s, %vf
          %u = add %t, %t
          %o = cast %u {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @five(%x: buffer<5x840xbf16, argument>, %w: buffer<136x840xbf16, argument>, %b: buffer<136xbf16, argument>, %y: buffer<5x136xbf16, argument>) attributes {results = 1} {
  launch @five.0, %x, %w, %b, %y
  return
}
func @columns.0(%x: buffer<13x72xf16, argument>, %w: buffer<72x136xf16, argument>, %y: buffer<13x136xf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [16*%io, min(16*%io + 16, 13)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [128*%jo, min(128*%jo + 128, 136)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 72] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%k, %j]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = f16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @columns(%x: buffer<13x72xf16, argument>, %w: buffer<72x136xf16, argument>, %y: buffer<13x136xf16, argument>) attributes {results = 1} {
  launch @columns.0, %x, %w, %y
  return
}
func @groups.0(%x: buffer<27x136xbf16, argument>, %w: buffer<264x136xbf16, argument>, %y: buffer<27x264xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [32*%io, min(32*%io + 32, 27)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [256*%jo, min(256*%jo + 256, 264)] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 136] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @groups(%x: buffer<27x136xbf16, argument>, %w: buffer<264x136xbf16, argument>, %y: buffer<27x264xbf16, argument>) attributes {results = 1} {
  launch @groups.0, %x, %w, %y
  return
}
func @any.0(%x: buffer<[N]x136xbf16, argument>, %w: buffer<72x136xbf16, argument>, %y: buffer<[N]x72xbf16, argument>) {
  for [0, N ceildiv 16] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [16*%io, min(16*%io + 16, N)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 136] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @any(%x: buffer<[N]x136xbf16, argument>, %w: buffer<72x136xbf16, argument>, %y: buffer<[N]x72xbf16, argument>) attributes {results = 1} {
  launch @any.0, %x, %w, %y
  return
}
func @parts.0(%x: buffer<9x456xbf16, argument>, %w: buffer<64x456xbf16, argument>, %y: buffer<4x9x64xf32, argument>) {
  for [0, 4] (%q: index) attributes {kind = "parallel"} {
    for [0, 1] (%io: index) attributes {kind = "parallel"} {
      for [0, 1] (%jo: index) attributes {kind = "parallel"} {
        for [16*%io, min(16*%io + 16, 9)] (%i: index) attributes {kind = "matrix", stages = 4} {
          for [64*%jo, min(64*%jo + 64, 64)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
            %zero = literal {dtype = f32, value = 0.0}
            %s = for [128*%q, min(128*%q + 128, 456)] (%k: index, %c = %zero) {
              %a = load %x[%i, %k]
              %b1 = load %w[%j, %k]
              %af = cast %a {dtype = f32}
              %bf = cast %b1 {dtype = f32}
              %n = fma %af, %bf, %c
              yield %n
            }
            store %s, %y[%q, %i, %j]
          }
        }
      }
    }
  }
  return
}
func @parts(%x: buffer<9x456xbf16, argument>, %w: buffer<64x456xbf16, argument>, %y: buffer<4x9x64xf32, argument>) attributes {results = 1} {
  launch @parts.0, %x, %w, %y
  return
}
func @batches.0(%x: buffer<3x3x80xbf16, argument>, %w: buffer<3x80x64xbf16, argument>, %y: buffer<3x3x64xbf16, argument>) {
  for [0, 3] (%p: index) attributes {kind = "parallel"} {
    for [0, 1] (%io: index) attributes {kind = "parallel"} {
      for [0, 1] (%jo: index) attributes {kind = "parallel"} {
        for [8*%io, min(8*%io + 8, 3)] (%i: index) attributes {kind = "matrix", stages = 4} {
          for [64*%jo, min(64*%jo + 64, 64)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
            %zero = literal {dtype = f32, value = 0.0}
            %s = for [0, 80] (%k: index, %c = %zero) {
              %a = load %x[%p, %i, %k]
              %b1 = load %w[%p, %k, %j]
              %af = cast %a {dtype = f32}
              %bf = cast %b1 {dtype = f32}
              %n = fma %af, %bf, %c
              yield %n
            }
            %o = cast %s {dtype = bf16}
            store %o, %y[%p, %i, %j]
          }
        }
      }
    }
  }
  return
}
func @batches(%x: buffer<3x3x80xbf16, argument>, %w: buffer<3x80x64xbf16, argument>, %y: buffer<3x3x64xbf16, argument>) attributes {results = 1} {
  launch @batches.0, %x, %w, %y
  return
}
func @one_column_tile.0(%x: buffer<2x64xbf16, argument>, %w: buffer<16x64xbf16, argument>, %y: buffer<2x16xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 1] (%jo: index) attributes {kind = "parallel"} {
      for [8*%io, min(8*%io + 8, 2)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 16)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 64] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @one_column_tile(%x: buffer<2x64xbf16, argument>, %w: buffer<16x64xbf16, argument>, %y: buffer<2x16xbf16, argument>) attributes {results = 1} {
  launch @one_column_tile.0, %x, %w, %y
  return
}
func @eight_lines.0(%x: buffer<80x8xbf16, argument>, %w: buffer<72x80xbf16, argument>, %y: buffer<8x72xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [8*%io, min(8*%io + 8, 8)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 80] (%k: index, %c = %zero) {
            %a = load %x[%k, %i]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @eight_lines(%x: buffer<80x8xbf16, argument>, %w: buffer<72x80xbf16, argument>, %y: buffer<8x72xbf16, argument>) attributes {results = 1} {
  launch @eight_lines.0, %x, %w, %y
  return
}
func @sixteen_lines.0(%x: buffer<104x16xf16, argument>, %w: buffer<104x136xf16, argument>, %y: buffer<16x136xf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [16*%io, min(16*%io + 16, 16)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [128*%jo, min(128*%jo + 128, 136)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 104] (%k: index, %c = %zero) {
            %a = load %x[%k, %i]
            %b1 = load %w[%k, %j]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = f16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @sixteen_lines(%x: buffer<104x16xf16, argument>, %w: buffer<104x136xf16, argument>, %y: buffer<16x136xf16, argument>) attributes {results = 1} {
  launch @sixteen_lines.0, %x, %w, %y
  return
}
func @unaligned_lines.0(%x: buffer<75x5xbf16, argument>, %w: buffer<75x72xbf16, argument>, %y: buffer<5x72xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [8*%io, min(8*%io + 8, 5)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 75] (%k: index, %c = %zero) {
            %a = load %x[%k, %i]
            %b1 = load %w[%k, %j]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @unaligned_lines(%x: buffer<75x5xbf16, argument>, %w: buffer<75x72xbf16, argument>, %y: buffer<5x72xbf16, argument>) attributes {results = 1} {
  launch @unaligned_lines.0, %x, %w, %y
  return
}
func @narrow.0(%x: buffer<11x74xbf16, argument>, %w: buffer<72x74xbf16, argument>, %y: buffer<11x72xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [16*%io, min(16*%io + 16, 11)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 74] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @narrow(%x: buffer<11x74xbf16, argument>, %w: buffer<72x74xbf16, argument>, %y: buffer<11x72xbf16, argument>) attributes {results = 1} {
  launch @narrow.0, %x, %w, %y
  return
}
func @wide.0(%x: buffer<7x75xbf16, argument>, %w: buffer<200x75xbf16, argument>, %y: buffer<7x200xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 1] (%jo: index) attributes {kind = "parallel"} {
      for [8*%io, min(8*%io + 8, 7)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [256*%jo, min(256*%jo + 256, 200)] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 75] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @wide(%x: buffer<7x75xbf16, argument>, %w: buffer<200x75xbf16, argument>, %y: buffer<7x200xbf16, argument>) attributes {results = 1} {
  launch @wide.0, %x, %w, %y
  return
}
// CHECK-DAG: mlgc_few_rows_tensor_tile<mlgc_matrix_bf16, 8, 64, 1, true, true>
// CHECK-DAG: mlgc_few_rows_tensor_tile<mlgc_matrix_f16, 16, 128, 1, true, false>
// CHECK-DAG: mlgc_few_rows_tensor_tile<mlgc_matrix_bf16, 32, 256, 2, true, true>
// CHECK-DAG: mlgc_few_rows_tile<mlgc_matrix_bf16, 8, 64, 4, false, true, 128, 64, 8>
// CHECK-DAG: mlgc_few_rows_tile<mlgc_matrix_f16, 16, 128, 4, false, false, 128, 64, 8>
// CHECK: wide_0_kernel1(
// CHECK-NOT: wide_0_kernel2(
