// Tiles whose factors the device copies by maps, as loop text that says how large they are: each order of both factors,
// edges in rows, columns and terms, batches, slices, tiles of one and two groups of warps, more parts of the terms than are in
// shared memory, terms in parts, f16, and what follows from the sums. Rows that are no multiple of 16 bytes are copied
// by threads, 2, 4 or 8 bytes at a time. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @linear.0(%x: buffer<200x328xbf16, argument>, %w: buffer<136x328xbf16, argument>, %b: buffer<136xbf16, argument>, %r: buffer<200x136xbf16, argument>, %y: buffer<200x136xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 3] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, 200)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 136)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 328] (%k: index, %c = %zero) {
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
          %u = load %r[%i, %j]
          %uf = cast %u {dtype = f32}
          %z = add %t, %uf
          %o = cast %z {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @linear(%x: buffer<200x328xbf16, argument>, %w: buffer<136x328xbf16, argument>, %b: buffer<136xbf16, argument>, %r: buffer<200x136xbf16, argument>, %y: buffer<200x136xbf16, argument>) attributes {results = 1} {
  launch @linear.0, %x, %w, %b, %r, %y
  return
}
func @columns.0(%x: buffer<[N]x72xf16, argument>, %w: buffer<72x136xf16, argument>, %y: buffer<[N]x136xf16, argument>) {
  for [0, N ceildiv 64] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, N)] (%i: index) attributes {kind = "matrix", stages = 4} {
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
func @columns(%x: buffer<[N]x72xf16, argument>, %w: buffer<72x136xf16, argument>, %y: buffer<[N]x136xf16, argument>) attributes {results = 1} {
  launch @columns.0, %x, %w, %y
  return
}
func @both.0(%x: buffer<136x136xbf16, argument>, %w: buffer<136x264xbf16, argument>, %y: buffer<136x264xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, 136)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [256*%jo, min(256*%jo + 256, 264)] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 136] (%k: index, %c = %zero) {
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
func @both(%x: buffer<136x136xbf16, argument>, %w: buffer<136x264xbf16, argument>, %y: buffer<136x264xbf16, argument>) attributes {results = 1} {
  launch @both.0, %x, %w, %y
  return
}
func @right.0(%x: buffer<136x264xf16, argument>, %w: buffer<72x136xf16, argument>, %y: buffer<264x72xf16, argument>) {
  for [0, 5] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 264)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 136] (%k: index, %c = %zero) {
            %a = load %x[%k, %i]
            %b1 = load %w[%j, %k]
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
func @right(%x: buffer<136x264xf16, argument>, %w: buffer<72x136xf16, argument>, %y: buffer<264x72xf16, argument>) attributes {results = 1} {
  launch @right.0, %x, %w, %y
  return
}
func @tall.0(%x: buffer<264x200xbf16, argument>, %w: buffer<200x136xbf16, argument>, %y: buffer<264x136xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [256*%io, min(256*%io + 256, 264)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [128*%jo, min(128*%jo + 128, 136)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 200] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
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
func @tall(%x: buffer<264x200xbf16, argument>, %w: buffer<200x136xbf16, argument>, %y: buffer<264x136xbf16, argument>) attributes {results = 1} {
  launch @tall.0, %x, %w, %y
  return
}
func @wide.0(%x: buffer<72x72xbf16, argument>, %w: buffer<264x72xbf16, argument>, %y: buffer<72x264xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 72)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [256*%jo, min(256*%jo + 256, 264)] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 72] (%k: index, %c = %zero) {
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
func @wide(%x: buffer<72x72xbf16, argument>, %w: buffer<264x72xbf16, argument>, %y: buffer<72x264xbf16, argument>) attributes {results = 1} {
  launch @wide.0, %x, %w, %y
  return
}
func @batches.0(%x: buffer<3x72x80xbf16, argument>, %w: buffer<3x80x64xbf16, argument>, %y: buffer<3x72x64xbf16, argument>) {
  for [0, 3] (%p: index) attributes {kind = "parallel"} {
    for [0, 1] (%io: index) attributes {kind = "parallel"} {
      for [0, 1] (%jo: index) attributes {kind = "parallel"} {
        for [128*%io, min(128*%io + 128, 72)] (%i: index) attributes {kind = "matrix", stages = 4} {
          for [128*%jo, min(128*%jo + 128, 64)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
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
func @batches(%x: buffer<3x72x80xbf16, argument>, %w: buffer<3x80x64xbf16, argument>, %y: buffer<3x72x64xbf16, argument>) attributes {results = 1} {
  launch @batches.0, %x, %w, %y
  return
}
func @parts.0(%x: buffer<64x456xbf16, argument>, %w: buffer<64x456xbf16, argument>, %y: buffer<4x64x64xf32, argument>) {
  for [0, 4] (%q: index) attributes {kind = "parallel"} {
    for [0, 1] (%io: index) attributes {kind = "parallel"} {
      for [0, 1] (%jo: index) attributes {kind = "parallel"} {
        for [64*%io, 64*%io + 64] (%i: index) attributes {kind = "matrix", stages = 4} {
          for [64*%jo, 64*%jo + 64] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
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
func @parts(%x: buffer<64x456xbf16, argument>, %w: buffer<64x456xbf16, argument>, %y: buffer<4x64x64xf32, argument>) attributes {results = 1} {
  launch @parts.0, %x, %w, %y
  return
}
func @slice.0(%x: buffer<64x104xbf16, argument>, %w: buffer<72x96xbf16, argument>, %y: buffer<64x72xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 1] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, 64*%io + 64] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [128*%jo, min(128*%jo + 128, 72)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 96] (%k: index, %c = %zero) {
            %a = load %x[%i, %k + 8]
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
func @slice(%x: buffer<64x104xbf16, argument>, %w: buffer<72x96xbf16, argument>, %y: buffer<64x72xbf16, argument>) attributes {results = 1} {
  launch @slice.0, %x, %w, %y
  return
}
func @unaligned.0(%x: buffer<64x75xbf16, argument>, %w: buffer<75x72xbf16, argument>, %y: buffer<64x72xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, 64*%io + 64] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 75] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
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
func @unaligned(%x: buffer<64x75xbf16, argument>, %w: buffer<75x72xbf16, argument>, %y: buffer<64x72xbf16, argument>) attributes {results = 1} {
  launch @unaligned.0, %x, %w, %y
  return
}
func @narrow.0(%x: buffer<64x74xbf16, argument>, %w: buffer<74x76xbf16, argument>, %y: buffer<64x76xbf16, argument>) {
  for [0, 1] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, 64*%io + 64] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 76)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 74] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
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
func @narrow(%x: buffer<64x74xbf16, argument>, %w: buffer<74x76xbf16, argument>, %y: buffer<64x76xbf16, argument>) attributes {results = 1} {
  launch @narrow.0, %x, %w, %y
  return
}
// CHECK-DAG: mlgc_tensor_tile<mlgc_matrix_bf16, 128, 64, 2, true, true>
// CHECK-DAG: mlgc_tensor_tile<mlgc_matrix_f16, 64, 128, 2, true, false>
// CHECK-DAG: mlgc_tensor_tile<mlgc_matrix_bf16, 128, 256, 2, false, false>
// CHECK-DAG: mlgc_tensor_tile<mlgc_matrix_f16, 64, 64, 1, false, true>
// CHECK-DAG: mlgc_tensor_tile<mlgc_matrix_bf16, 256, 128, 2, true, false>
// CHECK-DAG: mlgc_tensor_tile<mlgc_matrix_bf16, 64, 256, 2, true, true>
// CHECK: unaligned_0_kernel1(
// CHECK-NOT: unaligned_0_kernel2(
// CHECK: narrow_0_kernel1(
// CHECK-NOT: narrow_0_kernel2(
