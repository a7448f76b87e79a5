// What a level runs is text that can be run as such, without warnings about its order; printing it reads no module.
// RUN: mlgc opt -O0 --dump-pass-pipeline | FileCheck %s --check-prefix=O0 --allow-empty
// RUN: mlgc opt -O1 --dump-pass-pipeline | FileCheck %s --check-prefix=O1
// RUN: mlgc opt -O2 --dump-pass-pipeline -o %t.pipeline
// RUN: xargs -I TEXT mlgc opt --pass-pipeline=TEXT --dump-pass-pipeline < %t.pipeline | diff %t.pipeline -
// RUN: xargs -I TEXT mlgc opt %s --pass-pipeline=TEXT -o %t.text.mlir < %t.pipeline 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: mlgc opt %s -O2 | diff %t.text.mlir -
// RUN: FileCheck %s < %t.text.mlir
// O0-NOT: {{[a-z]}}
// O1: {{^}}canonicalize,constant-fold,cse,dce{{$}}
// QUIET-NOT: {{.}}
// CHECK: weight @w.neg
// CHECK: func @f
// CHECK-NEXT: %n = read @w.neg
// CHECK-NEXT: %y = mul %x, %n
// CHECK-NEXT: return %y
weight @w : tensor<4xf32>
weight @unread : tensor<4xf32>
func @negative(%a: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %n = neg %a
  return %n
}
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = read @w
  %n = call @negative, %w : tensor<4xf32>
  %y = mul %x, %n
  return %y
}
