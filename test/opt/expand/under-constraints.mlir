// What the function says of its sizes holds for the parts too, and a result keeps its type. What stays whole says why.
// RUN: mlgc opt %s --pass-pipeline='expand{ops=kl_div,add,exp}' -o %t.mlir 2> %t.notes && mlgc opt %t.mlir | diff %t.mlir -
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=NOTE < %t.notes
// CHECK-LABEL: func @f
// CHECK: = compute %x, %y {{.*}} : tensor<[S]x4xf32>
// CHECK-NOT: kl_div
// CHECK-LABEL: func @loop
// CHECK: exp %a : f32
// NOTE: under-constraints.mlir:[[#@LINE+8]]:8: note: `exp` stays whole: an operand is not a tensor
func @f(%x: tensor<[B]x4xf32>, %y: tensor<[S]x4xf32>) -> tensor<f32> where B == S {
  %a = add %x, %y : tensor<[S]x4xf32>
  %l = kl_div %a, %x
  return %l
}
func @loop(%x: buffer<4xf32, argument>) {
  %a = load %x[0]
  %b = exp %a
  store %b, %x[1]
  return
}
