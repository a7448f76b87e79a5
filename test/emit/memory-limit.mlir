// A limit of memory from the command line holds for each function, at the sizes that are said, in the place of the one that
// it states.
// RUN: mlgc emit %s --memory-limit=64KiB --dim=B=256 | FileCheck %s --check-prefix=HELD
// HELD: mlgc_unit_memory_limit
// RUN: %exits 5 mlgc emit %s --memory-limit=1KiB --dim=B=256 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: [[#@LINE+17]]:1: error: `@f` takes 64 KiB for temporaries with B = 256, more than its `memory_limit` of 1 KiB
// BROKEN: note: state `memory_limit = 65536`, or smaller sizes in `memory_limit_sizes`; `mlgc grad --memory-limit` finds a plan within a limit for the passes of -O2 and --numerics=like-eager
// BROKEN: [[#@LINE+20]]:1: error: `@g` takes 4 KiB for temporaries with C = 16, more than its `memory_limit` of 1 KiB
// BROKEN-NOT: warning
// RUN: %exits 5 mlgc emit %s 2>&1 | FileCheck %s --check-prefix=STATED
// STATED: error: `@g` takes 4 KiB for temporaries with C = 16, more than its `memory_limit` of 1 byte
// RUN: %exits 1 mlgc compile %s --memory-limit=64KiB -o %t.mlgcx 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: the `memory_limit` of `@f` cannot be compared with its memory plan: the size of `B` is not known
// RUN: %exits 2 mlgc emit %s --memory-limit=64KiB --dim=B=256 --dim=Z=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: mlgc: error: memory cannot be planned: no function has a size `Z`
// UNKNOWN-NEXT: mlgc: note: give each size that is a symbol a value: --dim=B=64
// RUN: %exits 2 mlgc emit %s --memory-limit=lots 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: --memory-limit: `lots` is not a number of bytes, as 64MiB
// RUN: %exits 2 mlgc emit %s --memory-limit=1KiB --dim=B 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: error: --dim=B: write --dim=NAME=SIZE
// RUN: %exits 2 mlgc emit %s --dim=B=4 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: mlgc: error: --dim requires --memory-limit
func @f(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> tensor<[B]x64xf32> {
  %a = matmul %x, %w
  %y = matmul %a, %w
  return %y
}
func @g(%x: tensor<[C]x64xf32>, %w: tensor<64x64xf32>) -> tensor<[C]x64xf32> where C <= 16 attributes {memory_limit = 1} {
  %a = matmul %x, %w
  %y = matmul %a, %w
  return %y
}
