// A model on one screen: classes and opcodes, sizes with where they come from, structure, work and the roof of a machine.
// RUN: mlgc explain %s --dim=B=8 | FileCheck %s
// RUN: mlgc explain model %s --dim=B=8 | FileCheck %s
// RUN: mlgc explain %s --machine=h200 | FileCheck %s --check-prefix=GPU
// RUN: mlgc explain %s --dim=B=8 --format=json | FileCheck %s --check-prefix=JSON
// RUN: mlgc explain %samples/node_classes.mlir | FileCheck %s --check-prefix=CLASSES
// RUN: mlgc explain %samples/scan.mlir | FileCheck %s --check-prefix=LOOP
// RUN: %exits 2 mlgc explain %s --dim=C=8 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: %exits 2 mlgc explain modle 2>&1 | FileCheck %s --check-prefix=SUBJECT
// CHECK: 1 function, 10 ops; 2 weights, 256 elements, 1.02 kB; 0 states
// CHECK: @f
// CHECK-NEXT: input      %x: tensor<[B]x16xf32>
// CHECK-NEXT: output     y: tensor<[B]x16xf32>
// CHECK-NEXT: compute    4 ops: linear 2, add 1, relu 1
// CHECK-NEXT: data       2 ops: read 2
// CHECK-NEXT: control    1 op: return 1
// CHECK-NEXT: dtypes     f32 6
// CHECK-NEXT: symbols    B: size 0 of argument %x
// CHECK-NEXT: structure  branching: 1 value read by several ops, 1 op that read several values, 4 ops on the longest path
// CHECK-NEXT: residual   1 connection
// CHECK-NEXT: work       {{.*}} operations on {{.*}} in 2 kernels, {{.*}} a byte; no fewer than {{.*}} at B = 8
// CHECK-NEXT: roof       x86-64-v4: 1536 GFLOP/s, 100 GB/s, ridge at 15.4 operations a byte; bound by memory, {{.*}} at least
// GPU: roof       h200: {{[0-9]+}} GFLOP/s, {{[0-9]+}} GB/s, ridge at {{.*}} bound by memory
// JSON: {"version":1,"ops":10,"weights":{"count":2,"elements":256,"bytes":1024},"states":{"count":0,"elements":0,"bytes":0},"machine":"x86-64-v4"
// JSON-SAME: "classes":{"compute":{"add":1,"linear":2,"relu":1},"data":{"read":2},"shape":{},"control":{"return":1},"memory":{}}
// JSON-SAME: "residuals":1,"kernels":2,
// CLASSES: memory        1 op: read 1
// CLASSES-NEXT: dtypes
// CLASSES: control flow  if 1
// LOOP: bodies of loops once
// SYMBOL: error: there is no symbol `C`
// SUBJECT: error: there is no subject `modle`
// SUBJECT-NEXT: note: did you mean `model`?
module {
  weight @up : tensor<8x16xf32>
  weight @scale : tensor<16x8xf32>
  func @f(%x: tensor<[B]x16xf32>) -> tensor<[B]x16xf32> {
    %u = read @up
    %d = read @scale
    %0 = linear %x, %u
    %1 = relu %0
    %2 = linear %1, %d
    %y = add %x, %2
    return %y
  }
}
