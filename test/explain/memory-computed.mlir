// Temporaries of a size that the call computes have a piece of memory of their own, which is planned once it is known.
// RUN: mlgc explain memory %s -O0 --dim=B=8 | FileCheck %s
// CHECK: @f with B = 8: 2176 bytes for 3 temporaries, 2176 before the plan; 0 bytes of scratch a thread
// CHECK-NEXT: and 2 whose sizes the call computes; --dim says what they shall be
// CHECK-NEXT: 2064 bytes are live at once, in step {{[0-9]+}} of {{[0-9]+}}: launch @f.0.nonzero_count; no order takes less than 2064
// CHECK-NEXT: * found: 2048 bytes at 0, steps
// CHECK: p: 16*hits bytes of the memory of `hits`, steps
// RUN: mlgc explain memory %s -O0 --dim=B=8 --dim=hits=20 | FileCheck %s --check-prefix=KNOWN
// KNOWN: @f with B = 8, hits = 20: 2560 bytes for 5 temporaries
// KNOWN: p: 320 bytes at {{[0-9]+}} of the memory of `hits`, steps
// RUN: mlgc explain memory %s -O0 --dim=B=8 --format=json | FileCheck %s --check-prefix=JSON
// JSON: "bytes": "16*hits",
// JSON: "memory_of": "hits"
// RUN: %exits 2 mlgc explain memory %s -O0 --dim=B=8 --dim=hits=33 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: error: memory cannot be planned: `@f` wants hits <= 4*B
func @f(%x: tensor<[B]x4xf32>) -> tensor<4xf32> {
  %p = nonzero %x : tensor<[hits]x2xi64> where hits <= 4*B
  %r = select %p {dim = 1, index = 0}
  %y = index_select %x, %r {dim = 0}
  %t = sum %y {dim = [0]}
  return %t
}
