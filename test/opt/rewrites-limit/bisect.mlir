// scripts/bisect names the rewrite after which a command fails: here the one that makes the second `mul` go.
// RUN: %python %scripts/bisect --mlgc mlgc --keep %t.mlir 'grep -q "other = 1.0"' %s --canonicalize --cse | FileCheck %s
// RUN: FileCheck %s --check-prefix=GOOD < %t.mlir
// RUN: FileCheck %s --check-prefix=BAD < %t.bad.mlir
// RUN: %exits 1 %python %scripts/bisect --mlgc mlgc true %s --cse | FileCheck %s --check-prefix=NONE
// CHECK: 3 rewrites: bad; without rewrites: good
// CHECK: rewrite 2 of 3 is at fault: pass canonicalize, mul-one at {{.*}}bisect.mlir:16:8
// GOOD: %b = mul %a
// BAD-NOT: = mul
// NONE: nothing to find: the test passes
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = mul %x {other = 1.0}
  %a = exp %m
  // A comment, so that the ops are not on neighbouring lines.
  %c = exp %x
  %b = mul %a {other = 1.0}
  %y = add %b, %c
  return %y
}
