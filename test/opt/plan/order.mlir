// Launches stand where less is live: each wide product is reduced before the next one is made.
// RUN: mlgc opt %s -O0 --to=plan --numerics=exact > %t
// RUN: FileCheck %s < %t
// RUN: mlgc eval %s --random-inputs=4 -O0 > %t.graph
// RUN: mlgc eval %t --random-inputs=4 | diff - %t.graph
// RUN: mlgc explain memory %s -O0 | FileCheck %s --check-prefix=MEMORY
// MEMORY: @f: 33{{[0-9]+}} bytes for {{[45]}} temporaries, 98560 before the plan
// MEMORY-NEXT: 33{{[0-9]+}} bytes are live at once, in step {{[0-9]+}} of {{[0-9]+}}: launch @f.1.matmul; no order takes less than 33
// CHECK-LABEL: func @f(
// CHECK: launch @f.0.matmul, %x, %u1, %b
// CHECK: launch @f.1.matmul, %b, %v, %e
// CHECK: launch @f.0.matmul, %x, %u2, %c
// CHECK: launch @f.1.matmul, %c, %v, %g
// CHECK: launch @f.0.matmul, %x, %u, %a
// CHECK-NEXT: launch @f.2.matmul_mul_mul, %a, %v, %e, %g, %y
func @f(%x: tensor<16x16xf32>, %u: tensor<16x512xf32>, %u1: tensor<16x512xf32>, %u2: tensor<16x512xf32>, %v: tensor<512x4xf32>) -> tensor<16x4xf32> {
  %a = matmul %x, %u : tensor<16x512xf32>
  %b = matmul %x, %u1 : tensor<16x512xf32>
  %c = matmul %x, %u2 : tensor<16x512xf32>
  %d = matmul %a, %v : tensor<16x4xf32>
  %e = matmul %b, %v : tensor<16x4xf32>
  %g = matmul %c, %v : tensor<16x4xf32>
  %h = mul %d, %e : tensor<16x4xf32>
  %y = mul %h, %g : tensor<16x4xf32>
  return %y
}
