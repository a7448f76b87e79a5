// What is left is what the wrong rule needs; the same rewrite is still at fault.
// REQUIRES: faults
// RUN: mlgc-with-faults reduce %s --keep=mismatch --pass-pipeline=cse,fault-sub-swapped -o %t.mlir 2>&1 | FileCheck %s --check-prefix=TALK
// RUN: FileCheck %s --implicit-check-not=' = ' < %t.mlir
// RUN: env TMPDIR=%t.dir %exits 4 mlgc-with-faults opt %t.mlir --fault-sub-swapped --verify-each=numeric 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME
// TALK: keeps: mismatch, pass fault-sub-swapped, rewrite wrong-sub-swapped
// TALK: reduced 13 ops to 3 in {{[0-9]+}} tests
// CHECK: func @f(%x: tensor<[N]x1xf32>, %y: tensor<[N]x1xf32>) -> tensor<[N]x1xf32>
// CHECK-NEXT: = sub %{{x|y}}, %{{x|y}}
// SAME: note: rewrite 1, `wrong-sub-swapped`, is at fault: 1 of 1 in this pass
weight @w : tensor<4x4xf32>
func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
func @f(%x: tensor<[N]x4xf32>, %y: tensor<[N]x4xf32>, %k: tensor<i1>) -> (tensor<[N]x4xf32>, tensor<[N]x4xf32>) {
  %w = read @w : tensor<4x4xf32>
  %a = matmul %x, %w
  %b = if %k {
    %s = sub %a, %y
    %t = exp %s
    yield %t
  } else {
    yield %a
  } : tensor<[N]x4xf32>
  %c = mul %b, %b
  return %c, %a
}
