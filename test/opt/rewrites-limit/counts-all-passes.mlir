// Rewrites are counted over all passes: here 2 of canonicalize, then 1 of cse.
// RUN: mlgc opt %s --canonicalize --cse --rewrites-limit=3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: mlgc opt %s --canonicalize --cse --rewrites-limit=2 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: mlgc opt %s --canonicalize --cse --rewrites-limit=100 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// THREE: rewrites: 3 made, limit 3; last: pass cse, merge-equal-ops at {{.*}}counts-all-passes.mlir:13:8
// TWO: rewrites: 2 made, limit 2; last: pass canonicalize, {{[a-z-]+}} at {{.*}}.mlir:14:8
// TWO: %a = exp
// TWO-NEXT: %b = exp
// ALL: rewrites: 3 made, limit 100; last: pass cse
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = mul %x {other = 1.0}
  %a = exp %m
  %b = exp %x
  %c = mul %b {other = 1.0}
  %y = add %a, %c
  return %y
}
