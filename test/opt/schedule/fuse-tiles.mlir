// Loops over the same rows, and sums over these, tile by tile: rows of loops without products are those of one loop,
// what comes after a sum, and loops that touch no rows, come after all tiles. The example is that of `mlgc passes`.
// RUN: mlgc opt %s --pass-pipeline='fuse-tiles{function=three loop=i size=3}' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --match-full-lines --strict-whitespace
// RUN: mlgc eval %s --function=three --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=three --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %t.mlir --function=three --random-inputs=1 --backend=cpp --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse-tiles{function=across loop=i size=2}' 2>&1 | FileCheck %s --check-prefix=ACROSS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse-tiles{function=between loop=i size=2}' 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse-tiles{function=reads loop=i size=2}' 2>&1 | FileCheck %s --check-prefix=READS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse-tiles{function=between loop=k size=2}' 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse-tiles{function=between loop=b size=2}' 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %exits 2 mlgc opt %s --pass-pipeline='fuse-tiles{function=across loop=i size=0}' 2>&1 | FileCheck %s --check-prefix=SIZE
// SAME: y: agrees
// SAME: z: agrees
//      CHECK:        for [3*%i_o, min(3*%i_o + 3, 8)] (%i: index) {
// CHECK-NEXT:          %s = alloc : buffer<1x4xf32, thread>
// CHECK-NEXT:          for [0, 4] (%j: index) {
// CHECK-NEXT:            %0 = load %x[%b, %i, %j] : f32
// CHECK-NEXT:            %1 = tanh %0 : f32
// CHECK-NEXT:            store %1, %s[0, %j]
// CHECK-NEXT:          }
// CHECK-NEXT:          %0 = literal {dtype = f32, value = 0.0} : f32
// CHECK-NEXT:          %1 = for [0, 4] (%j2: index, %a = %0) {
// CHECK-NEXT:            %2 = load %s[0, %j2] : f32
// CHECK-NEXT:            %3 = add %a, %2 : f32
// CHECK-NEXT:            yield %3
// CHECK-NEXT:          } : f32
// CHECK-NEXT:          store %1, %z[%b, %i]
// CHECK-NEXT:          for [0, 4] (%j3: index) {
// CHECK-NEXT:            %2 = load %s[0, %j3] : f32
// CHECK-NEXT:            %3 = add %2, %1 : f32
// CHECK-NEXT:            store %3, %e[%i - 3*%i_o, %j3]
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        for [0, 4] (%k: index) {
// CHECK-NEXT:          for [0, 4] (%l: index) {
// CHECK-NEXT:            %0 = load %sums[%k, %l] : f64
// CHECK-NEXT:            %1 = for [3*%i_o, min(3*%i_o + 3, 8)] (%r: index, %a = %0) {
// CHECK-NEXT:              %2 = load %e[%r - 3*%i_o, %k] : f32
// CHECK-NEXT:              %3 = load %x[%b, %r, %l] : f32
// CHECK-NEXT:              %4 = mul %2, %3 : f32
func @three(%x: buffer<2x8x4xf32, argument>, %y: buffer<2x4x4xf32, argument>, %z: buffer<2x8xf32, argument>) {
  for [0, 2] (%b: index) {
    %s = alloc : buffer<8x4xf32, thread>
    %e = alloc : buffer<8x4xf32, thread>
    for [0, 8] (%i: index) {
      for [0, 4] (%j: index) {
        %0 = load %x[%b, %i, %j]
        %1 = tanh %0
        store %1, %s[%i, %j]
      }
    }
    for [0, 8] (%i2: index) {
      %0 = literal {dtype = f32, value = 0.0}
      %1 = for [0, 4] (%j2: index, %a = %0) {
        %2 = load %s[%i2, %j2]
        %3 = add %a, %2
        yield %3
      }
      store %1, %z[%b, %i2]
      for [0, 4] (%j3: index) {
        %4 = load %s[%i2, %j3]
        %5 = add %4, %1
        store %5, %e[%i2, %j3]
      }
    }
    for [0, 4] (%k: index) {
      for [0, 4] (%l: index) {
        %0 = literal {dtype = f64, value = 0.0}
        %1 = for [0, 8] (%r: index, %a = %0) {
          %2 = load %e[%r, %k]
          %3 = load %x[%b, %r, %l]
          %4 = mul %2, %3
          %5 = cast %4 {dtype = f64}
          %6 = add %a, %5
          yield %6
        }
        %7 = cast %1 {dtype = f32}
        %8 = relu %7
        store %8, %y[%b, %k, %l]
      }
    }
  }
  return
}
// ACROSS: error: the transform would reorder accesses to memory in the loop over `%i`: `%i2` reads its rows in another order
// ACROSS: note: `fuse-tiles` of the loop over `%i` in `@across` is refused
func @across(%x: buffer<2x4x4xf32, argument>, %y: buffer<2x4x4xf32, argument>) {
  for [0, 2] (%b: index) {
    %s = alloc : buffer<4x4xf32, thread>
    for [0, 4] (%i: index) {
      for [0, 4] (%j: index) {
        %0 = load %x[%b, %i, %j]
        store %0, %s[%i, %j]
      }
    }
    for [0, 4] (%i2: index) {
      for [0, 4] (%j2: index) {
        %0 = load %s[%j2, %i2]
        store %0, %y[%b, %i2, %j2]
      }
    }
  }
  return
}
// BETWEEN: error: the transform would reorder accesses to memory in the loop over `%i`: `%i2` touches memory without rows that `%k` touches
// BETWEEN: note: `fuse-tiles` of the loop over `%i` in `@between` is refused
// ROWS: error: the loop over `%k` does not leave rows of scratch that a later sum reads, which the transform needs
// ROWS: note: `fuse-tiles` of the loop over `%k` in `@between` is refused
// ALONE: error: the loop over `%b` stands in no other loop, expected one around it, whose thread owns the scratch
// ALONE: note: `fuse-tiles` of the loop over `%b` in `@between` is refused
func @between(%x: buffer<2x4x4xf32, argument>, %y: buffer<2x4x4xf32, argument>, %z: buffer<2x4x4xf32, argument>) {
  for [0, 2] (%b: index) {
    %s = alloc : buffer<4x4xf32, thread>
    for [0, 4] (%i: index) {
      for [0, 4] (%j: index) {
        %0 = load %x[%b, %i, %j]
        store %0, %s[%i, %j]
      }
    }
    for [0, 4] (%k: index) {
      for [0, 4] (%l: index) {
        %0 = literal {dtype = f32, value = 0.0}
        %1 = for [0, 4] (%r: index, %a = %0) {
          %2 = load %s[%r, %k]
          %3 = load %x[%b, %r, %l]
          %4 = mul %2, %3
          %5 = add %a, %4
          yield %5
        }
        store %1, %y[%b, %k, %l]
      }
    }
    for [0, 4] (%i2: index) {
      for [0, 4] (%j2: index) {
        %0 = load %s[%i2, %j2]
        %1 = load %y[%b, %i2, %j2]
        %2 = add %0, %1
        store %2, %z[%b, %i2, %j2]
      }
    }
  }
  return
}
// READS: error: the loop over `%i` does not leave rows of scratch that a later sum reads, which the transform needs
// READS: note: `fuse-tiles` of the loop over `%i` in `@reads` is refused
func @reads(%x: buffer<2x4x4xf32, argument>, %y: buffer<2x4x4xf32, argument>) {
  for [0, 2] (%b: index) {
    %s = alloc : buffer<4x4xf32, thread>
    for [0, 4] (%i: index) {
      for [0, 4] (%j: index) {
        %0 = load %x[%b, %i, %j]
        store %0, %s[%i, %j]
      }
    }
    for [0, 4] (%i2: index) {
      for [0, 4] (%j2: index) {
        %0 = load %s[%i2, %j2]
        store %0, %y[%b, %i2, %j2]
      }
    }
  }
  return
}
// SIZE: error: the tile size is 0, expected 1 or more
