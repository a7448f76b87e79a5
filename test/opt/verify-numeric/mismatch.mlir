// A wrong rule is found between right ones: pass, rewrite, first value, inputs and a reproducer are named.
// REQUIRES: faults
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env TMPDIR=%t.dir %exits 4 mlgc-with-faults opt %s --cse --fault-sub-swapped --dce --verify-each=numeric \
// RUN:   --verify-seed=3 -o %t.out.mlir 2>&1 | FileCheck %s
// RUN: not test -e %t.out.mlir
// CHECK: checked 2 passes: 2 functions, {{[0-9]+}} runs, 1 mismatch
// CHECK: mismatch.mlir:18:8: error: pass `fault-sub-swapped` changes what `@f` computes: result 0 [{{[0-9], [0-9]+}}] was {{[^ ]+}} and is {{[^ ]+}}
// CHECK-NEXT: %d = sub %a, %y
// CHECK: mismatch.mlir:18:8: note: rewrite 2, `wrong-sub-swapped`, is at fault: 1 of 2 in this pass
// CHECK: mismatch.mlir:18:8: note: the first value that differs is `%d` of `sub` [{{[01], [01]}}]: it was {{[-0-9.]+}} and is {{[-0-9.]+}}
// CHECK: mismatch.mlir:15:1: note: with N = {{[0-9]+}}, {{plain values|values with edges|few values}}, seed 3; {{[0-9]+}} of {{[0-9]+}} elements differ
// CHECK: note: `mlgc opt {{[^ ]*}}/mlgc-reproducer-{{[0-9a-f]+}}.mlir --replay` shows it again
// The line numbers above are those of this function.
func @f(%x: tensor<[N]x4xf32>, %y: tensor<[N]x4xf32>) -> tensor<[N]x4xf32> where 1 <= N {
  %a = mul %x {other = 1.0}
  %b = exp %y
  %d = sub %a, %y
  %c = exp %y
  %e = add %b, %c
  %z = mul %d, %e
  return %z
}
