// What a command does, line by line; nothing of it on standard output, and nothing at all unless asked for.
// RUN: mlgc opt --cse --dce --log=info %s -o %t 2>&1 | FileCheck %s
// RUN: mlgc opt --cse %s -o %t 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: {{.}}
// CHECK: mlgc {{ *[0-9.]+}} ms info: read {{.*}}log.mlir: {{[0-9]+}} bytes
// CHECK-NEXT: ms info: parsed 5 ops
// CHECK-NEXT: ms info: pass cse: changed, 5 -> 4 ops
// CHECK-NEXT: ms info: pass dce: unchanged, 4 -> 4 ops
// CHECK-NEXT: ms info: wrote {{.*}}: {{[0-9]+}} bytes
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  %1 = exp %x : tensor<4xf32>
  %2 = add %0, %1 : tensor<4xf32>
  return %2
}
