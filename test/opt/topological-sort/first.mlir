// Only as the first pass it takes text in any order; the passes behind it, and other commands, meet sorted text.
// RUN: mlgc opt %s --topological-sort --cse | FileCheck %s
// RUN: %exits 1 mlgc opt %s --cse --topological-sort 2>&1 | FileCheck --check-prefix=LATE %s
// RUN: %exits 1 mlgc opt %s --topological-sort --rewrites-limit=0 2>&1 | FileCheck --check-prefix=LATE %s
// CHECK:      %b = relu %x : tensor<4xf32>
// CHECK-NEXT: %c = add %b, %b : tensor<4xf32>
// CHECK-NEXT: return %c
// LATE: first.mlir:[[#@LINE+3]]:12: error: value `%b` is used before its definition
// LATE: first.mlir:[[#@LINE+2]]:12: note: move the definition up, or let `mlgc opt --topological-sort` sort the text
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = add %b, %a
  %a = relu %x
  %b = relu %x
  return %c
}
// A dump from before it shows the text as it was.
// RUN: mlgc opt %s --topological-sort --print-ir-before-all -o %t.mlir 2>&1 | FileCheck --check-prefix=DUMP %s
// DUMP:      %c = add %b, %a : tensor<4xf32>
// DUMP-NEXT: %a = relu %x : tensor<4xf32>
// DUMP-NEXT: %b = relu %x : tensor<4xf32>
