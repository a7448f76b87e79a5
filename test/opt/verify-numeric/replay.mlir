// A reproducer replays: same verdict, same places in the original file, no second reproducer.
// REQUIRES: faults
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env TMPDIR=%t.dir %exits 4 mlgc-with-faults opt %s --cse --fault-abs-abs --dce --verify-each=numeric 2>/dev/null
// RUN: cat %t.dir/mlgc-reproducer-*.mlir | FileCheck %s --check-prefix=FILE
// RUN: cp %t.dir/mlgc-reproducer-*.mlir %t.mlir && rm %t.dir/*
// RUN: env TMPDIR=%t.dir %exits 4 mlgc-with-faults opt %t.mlir --replay 2>&1 | FileCheck %s
// RUN: rmdir %t.dir
// FILE: // mlgc-reproducer: 1
// FILE-NEXT: // version: {{[0-9.]+}}
// FILE-NEXT: // pipeline: fault-abs-abs,dce
// FILE-NEXT: // numerics: like-eager
// FILE-NEXT: // verify-each: numeric
// FILE-NEXT: // verify-seed: 0
// FILE-NEXT: // verify-limit: 67108864
// FILE-NEXT: // verify-finite: false
// FILE-NEXT: // command: mlgc opt {{.*}}replay.mlir --cse --fault-abs-abs --dce --verify-each=numeric
// FILE-NEXT: // failure: pass `fault-abs-abs` changes what `@f` computes: result 0 [{{[0-9]}}] was
// FILE: abs %x{{.*}} loc("{{.*}}replay.mlir":24:8)
// CHECK: replay.mlir:25:8: error: pass `fault-abs-abs` changes what `@f` computes: result 0 [{{[0-9, ]+}}] was {{[^ ]+}} and is {{[^ ]+}}
// CHECK: replay.mlir:25:8: note: rewrite 1, `wrong-abs-abs`, is at fault: 1 of 1 in this pass
// CHECK-NOT: shows it again
func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = abs %x
  %y = abs %a
  return %y
}
