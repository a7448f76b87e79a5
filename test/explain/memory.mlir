// What a call takes: places and lives of temporaries, the most that is live at once and where.
// RUN: mlgc explain memory %s -O0 --dim=B=8 | FileCheck %s
// CHECK: @f with B = 8: 832 bytes for 4 temporaries, 832 before the plan; 0 bytes of scratch a thread
// CHECK-NEXT: 800 bytes are live at once, in step [[#STEP:]] of [[#]]: launch @f.2.matmul; no order takes less than 800
// CHECK-NEXT: a: 256 bytes at {{[0-9]+}}, steps
// CHECK-NEXT: * b: 512 bytes at {{[0-9]+}}, steps
// CHECK-NEXT: * c: 288 bytes at {{[0-9]+}}, steps
// RUN: mlgc explain memory %s -O0 --dim=B=8 --format=json | FileCheck %s --check-prefix=JSON
// JSON: "function": "f",
// JSON: "B": 8
// JSON: "arena_bytes": 832,
// JSON-NEXT: "unplanned_bytes": 832,
// JSON-NEXT: "live_bytes": 800,
// JSON-NEXT: "least_bytes": 800,
// JSON: "op": "launch @f.1.matmul",
// JSON-NEXT: "live_bytes": 768,
// JSON-NEXT: "dealloc": [
// JSON-NEXT:   "a"
// JSON-NEXT: ]
// RUN: mlgc explain memory %s -O0 --dim=B=8 --steps | FileCheck %s --check-prefix=STEPS --match-full-lines
// STEPS:          0  alloc a                   0 bytes live
// STEPS-NEXT:     1  launch @f.0.matmul        256 bytes live
// STEPS-NEXT:     2  alloc b                   256 bytes live
// STEPS-NEXT:     3  launch @f.1.matmul        768 bytes live
// STEPS-NEXT:        dealloc a
// STEPS-NEXT:     4  alloc c                   512 bytes live
// STEPS-NEXT:     5  launch @f.2.matmul        800 bytes live
// STEPS-NEXT:        dealloc b
// STEPS-NEXT:     6  alloc e                   288 bytes live
// STEPS-NEXT:     7  launch @f.3.slice_matmul  576 bytes live
// STEPS-NEXT:        dealloc c
// STEPS-NEXT:     8  launch @f.4.slice         288 bytes live
// STEPS-NEXT:        dealloc e
// STEPS-NEXT:     9  return                    0 bytes live
// RUN: %exits 2 mlgc explain memory %s 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: mlgc: error: memory cannot be planned: the size of `B` is not known
// SIZE-NEXT: mlgc: note: give each size that is a symbol a value: --dim=B=64
// RUN: %exits 2 mlgc explain memory %s --dim=B=8 --dim=Z=1 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: mlgc: error: memory cannot be planned: no function has a size `Z`
// RUN: %exits 2 mlgc explain memory %s --dim=B=65 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: mlgc: error: memory cannot be planned: `@f` wants B <= 64
func @f(%x: tensor<[B]x4xf32>, %u: tensor<4x8xf32>, %v: tensor<8x16xf32>, %w: tensor<16x9xf32>) -> tensor<[B]x2xf32> where B <= 64 {
  %a = matmul %x, %u : tensor<[B]x8xf32>
  %b = matmul %a, %v : tensor<[B]x16xf32>
  %c = matmul %b, %w : tensor<[B]x9xf32>
  %d = slice %w {dim = 0, start = 0, end = 9} : tensor<9x9xf32>
  %e = matmul %c, %d : tensor<[B]x9xf32>
  %y = slice %e {dim = 1, start = 0, end = 2} : tensor<[B]x2xf32>
  return %y
}
