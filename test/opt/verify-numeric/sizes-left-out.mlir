// Sizes at which a run takes too long are left out, and others judge the pass, with plain values too.
// REQUIRES: faults
// RUN: mlgc opt %s --canonicalize --verify-each=numeric --verify-limit=1000 2>&1 >/dev/null | FileCheck %s
// RUN: %exits 4 mlgc-with-faults opt %s --fault-sub-swapped --verify-each=numeric --verify-limit=1000 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=WRONG
// CHECK: checked 1 pass: 1 function, {{[0-9]+}} runs, all agree
// CHECK: note: `@f` is not run with N = {{[0-9]+}}: a run goes through more than 1000 index tuples
// WRONG: sizes-left-out.mlir:[[#@LINE+3]]:8: error: pass `fault-sub-swapped` changes what `@f` computes: result 0 [{{[0-9, ]+}}] was {{[^ ]+}} and is {{[^ ]+}}
func @f(%x: tensor<[N]x[N]xf32>, %y: tensor<[N]x[N]xf32>) -> tensor<[N]x[N]xf32> {
  %a = mul %x {other = 1.0}
  %b = sub %a, %y
  %c = matmul %b, %b
  %z = matmul %c, %b
  return %z
}
