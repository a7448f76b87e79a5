// Results of products whose rows do not begin at multiples of 16 bytes: pieces are moved between threads until they are aligned,
// and both ends of a row of a tile are written in parts. Odd and even numbers of columns, f32, a residual of such rows, planes that
// begin anywhere, columns in unknown number; and tiles of 192 columns. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @odd.0(%x: buffer<130x72xbf16, argument>, %w: buffer<203x72xbf16, argument>, %b0: buffer<203xbf16, argument>, %r: buffer<130x203xbf16, argument>, %y: buffer<130x203xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, 130)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [128*%jo, min(128*%jo + 128, 203)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 72] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %v = load %b0[%j]
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
func @odd(%x: buffer<130x72xbf16, argument>, %w: buffer<203x72xbf16, argument>, %b0: buffer<203xbf16, argument>, %r: buffer<130x203xbf16, argument>, %y: buffer<130x203xbf16, argument>) attributes {results = 1} {
  launch @odd.0, %x, %w, %b0, %r, %y
  return
}
// CHECK-LABEL: static void {{.*}}odd_0_kernel2(
// CHECK: bool [[HOLDS:y_row[_0-9]*_holds]] = false;
// CHECK: [[HOLDS]] = true;
// CHECK: mlgc_write_row_piece<4>(y, {{.*}}, [[HOLDS]]);
func @wide.0(%x: buffer<66x80xf16, argument>, %w: buffer<80x78xf16, argument>, %y: buffer<66x78xf32, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 66)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 78)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 80] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%k, %j]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          store %s, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @wide(%x: buffer<66x80xf16, argument>, %w: buffer<80x78xf16, argument>, %y: buffer<66x78xf32, argument>) attributes {results = 1} {
  launch @wide.0, %x, %w, %y
  return
}
func @planes.0(%x: buffer<3x35x64xbf16, argument>, %w: buffer<3x64x37xbf16, argument>, %y: buffer<3x35x37xbf16, argument>) {
  for [0, 3] (%b: index) attributes {kind = "parallel"} {
    for [0, 1] (%io: index) attributes {kind = "parallel"} {
      for [0, 1] (%jo: index) attributes {kind = "parallel"} {
        for [64*%io, min(64*%io + 64, 35)] (%i: index) attributes {kind = "matrix", stages = 4} {
          for [64*%jo, min(64*%jo + 64, 37)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
            %zero = literal {dtype = f32, value = 0.0}
            %s = for [0, 64] (%k: index, %c = %zero) {
              %a = load %x[%b, %i, %k]
              %b1 = load %w[%b, %k, %j]
              %af = cast %a {dtype = f32}
              %bf = cast %b1 {dtype = f32}
              %n = fma %af, %bf, %c
              yield %n
            }
            %o = cast %s {dtype = bf16}
            store %o, %y[%b, %i, %j]
          }
        }
      }
    }
  }
  return
}
func @planes(%x: buffer<3x35x64xbf16, argument>, %w: buffer<3x64x37xbf16, argument>, %y: buffer<3x35x37xbf16, argument>) attributes {results = 1} {
  launch @planes.0, %x, %w, %y
  return
}
func @any.0(%x: buffer<70x64xbf16, argument>, %w: buffer<[N]x64xbf16, argument>, %y: buffer<70x[N]xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, N ceildiv 128] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 70)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [128*%jo, min(128*%jo + 128, N)] (%j: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
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
func @any(%x: buffer<70x64xbf16, argument>, %w: buffer<[N]x64xbf16, argument>, %y: buffer<70x[N]xbf16, argument>) attributes {results = 1} {
  launch @any.0, %x, %w, %y
  return
}
func @between.0(%x: buffer<136x72xbf16, argument>, %w: buffer<392x72xbf16, argument>, %b0: buffer<392xbf16, argument>, %y: buffer<136x392xbf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 3] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, 136)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [192*%jo, min(192*%jo + 192, 392)] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 72] (%k: index, %c = %zero) {
            %a = load %x[%i, %k]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %v = load %b0[%j]
          %vf = cast %v {dtype = f32}
          %t = add %s, %vf
          %o = cast %t {dtype = bf16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @between(%x: buffer<136x72xbf16, argument>, %w: buffer<392x72xbf16, argument>, %b0: buffer<392xbf16, argument>, %y: buffer<136x392xbf16, argument>) attributes {results = 1} {
  launch @between.0, %x, %w, %b0, %y
  return
}
// CHECK: mlgc_tensor_tile<mlgc_matrix_bf16, 128, 192, 2, true, true>::multiply(
func @between_by_rows.0(%x: buffer<136x64xf16, argument>, %w: buffer<64x385xf16, argument>, %y: buffer<136x385xf16, argument>) {
  for [0, 2] (%io: index) attributes {kind = "parallel"} {
    for [0, 3] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, 136)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [192*%jo, min(192*%jo + 192, 385)] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 64] (%k: index, %c = %zero) {
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
func @between_by_rows(%x: buffer<136x64xf16, argument>, %w: buffer<64x385xf16, argument>, %y: buffer<136x385xf16, argument>) attributes {results = 1} {
  launch @between_by_rows.0, %x, %w, %y
  return
}
func @between_few.0(%x: buffer<[N]x72xbf16, argument>, %w: buffer<192x72xbf16, argument>, %y: buffer<[N]x192xbf16, argument>) {
  for [0, N ceildiv 128] (%io: index) attributes {kind = "parallel"} {
    for [0, 1] (%jo: index) attributes {kind = "parallel"} {
      for [128*%io, min(128*%io + 128, N)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [192*%jo, 192*%jo + 192] (%j: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
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
func @between_few(%x: buffer<[N]x72xbf16, argument>, %w: buffer<192x72xbf16, argument>, %y: buffer<[N]x192xbf16, argument>) attributes {results = 1} {
  launch @between_few.0, %x, %w, %y
  return
}
