// What reads a state stays in front of its new value, though the arena would be smaller otherwise: a state that is
// written over its old value takes its memory once.
// RUN: mlgc opt %s -O0 --to=plan --numerics=exact > %t
// RUN: FileCheck %s < %t
// RUN: mlgc eval %s --random-inputs=4 --random-weights=2 -O0 > %t.graph
// RUN: mlgc eval %t --random-inputs=4 --random-weights=2 | diff - %t.graph
// CHECK: func @step(
// CHECK-SAME: attributes {in_place = ["w1", "w2"], planned = true, results = 0}
// CHECK: launch @step.2.matmul, %e, %w2, %d
// CHECK: launch @step.3.permute_matmul_sub{{(.relaid)?}}, %e, %h, %w2, %n2
state @w1 : tensor<64x64xf32>
state @w2 : tensor<64x64xf32>
func @step(%x: tensor<16x64xf32>, %t: tensor<16x64xf32>) updates (@w1 = %n1, @w2 = %n2) {
  %w1 = read @w1 : tensor<64x64xf32>
  %w2 = read @w2 : tensor<64x64xf32>
  %h = linear %x, %w1 : tensor<16x64xf32>
  %y = linear %h, %w2 : tensor<16x64xf32>
  %e = sub %y, %t : tensor<16x64xf32>
  %d = matmul %e, %w2 : tensor<16x64xf32>
  %u2 = permute %e {dims = [1, 0]} : tensor<64x16xf32>
  %g2 = matmul %u2, %h : tensor<64x64xf32>
  %n2 = sub %w2, %g2 : tensor<64x64xf32>
  %u1 = permute %d {dims = [1, 0]} : tensor<64x16xf32>
  %g1 = matmul %u1, %x : tensor<64x64xf32>
  %n1 = sub %w1, %g1 : tensor<64x64xf32>
  return %n1, %n2
}
