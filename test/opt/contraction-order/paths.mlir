// A sum of products of three factors and more becomes products of two in the order that takes least: by static sizes, by
// sizes of which only bounds are known, with letters that one factor has alone, a diagonal, integers, and in gradients,
// whose common part is computed once. What one nest computes as cheaply stays.
// RUN: mlgc opt %s --contraction-order -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %s --contraction-order --verify-each=numeric -o /dev/null
// RUN: mlgc opt %s --numerics=exact --contraction-order | FileCheck %s --check-prefix=EXACT
// RUN: mlgc grad %s --function=chain --seed | mlgc opt - --contraction-order --cse | FileCheck %s --check-prefix=GRAD
// CHECK-LABEL: func @chain
// CHECK: %[[WV:.*]] = matmul %w, %v : tensor<18x13xf32>
// CHECK: matmul %x, %[[WV]]
// CHECK-LABEL: func @few_rows
// CHECK: %[[XW:.*]] = matmul %x, %w : tensor<[B]x18xf32>
// CHECK: matmul %[[XW]], %v
// CHECK-LABEL: func @bilinear
// CHECK: %[[VW:.*]] = einsum %v, %w {equation = "ab,cdb->adc"} : tensor<50x60x70xf32>
// CHECK: einsum %x, %[[VW]] {equation = "ab,abc->ac"}
// CHECK-LABEL: func @small
// CHECK: einsum %x, %w, %v {equation = "bi,oij,bj->bo"}
// CHECK-LABEL: func @alone
// CHECK: sum %a {dim = [2]}
// CHECK: sum %c {dim = [1]}
// CHECK-COUNT-2: einsum
// CHECK-LABEL: func @diagonal
// CHECK-COUNT-2: einsum %{{.*}}, %{{.*}} {equation
// CHECK-LABEL: func @outer
// CHECK: einsum %a, %b, %c {equation = "i,j,k->ijk"}
// CHECK-LABEL: func @nine
// CHECK-COUNT-8: matmul
// CHECK-NOT: einsum
// EXACT-NOT: matmul
// GRAD-LABEL: func @chain_grad
// GRAD: %[[GX:.*]] = einsum %x, %g_result0 {equation = "abc,abd->cd"}
// GRAD: %d_w = einsum %[[GX]], %v
// GRAD: %d_v = einsum %w, %[[GX]]
func @chain(%x: tensor<[B]x57x18xf32>, %w: tensor<18x77xf32>, %v: tensor<77x13xf32>) -> tensor<[B]x57x13xf32> {
  %0 = einsum %x, %w, %v {equation = "abc,cd,de->abe"} : tensor<[B]x57x13xf32>
  return %0
}
func @few_rows(%x: tensor<[B]x150xf32>, %w: tensor<150x18xf32>, %v: tensor<18x130xf32>) -> tensor<[B]x130xf32> where B <= 8 {
  %0 = einsum %x, %w, %v {equation = "bc,cd,de->be"}
  return %0
}
func @bilinear(%x: tensor<50x60xf32>, %w: tensor<70x60x80xf32>, %v: tensor<50x80xf32>) -> tensor<50x70xf32> {
  %0 = einsum %x, %w, %v {equation = "bi,oij,bj->bo"}
  return %0
}
func @small(%x: tensor<5x6xf32>, %w: tensor<7x6x8xf32>, %v: tensor<5x8xf32>) -> tensor<5x7xf32> {
  %0 = einsum %x, %w, %v {equation = "bi,oij,bj->bo"}
  return %0
}
func @alone(%a: tensor<30x40x3xf32>, %b: tensor<40x50xf32>, %c: tensor<50x6xf32>) -> tensor<30xf32> {
  %0 = einsum %a, %b, %c {equation = "abx,bc,cd->a"}
  return %0
}
func @diagonal(%a: tensor<30x40x40xi32>, %b: tensor<40x10xi32>, %c: tensor<10x20xi32>) -> tensor<20x30xi32> {
  %0 = einsum %a, %b, %c {equation = "abb,bc,cd->da"}
  return %0
}
func @outer(%a: tensor<30xf32>, %b: tensor<40xf32>, %c: tensor<50xf32>) -> tensor<30x40x50xf32> {
  %0 = einsum %a, %b, %c {equation = "i,j,k->ijk"}
  return %0
}
func @nine(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = einsum %a, %b, %c, %a, %b, %c, %a, %b, %c {equation = "ab,bc,cd,de,ef,fg,gh,hi,ij->aj"}
  return %0
}
