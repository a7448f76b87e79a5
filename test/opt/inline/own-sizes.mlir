// Sizes that a callee computes are the caller's own, under other names where it has them already.
// RUN: mlgc opt %s --inline -o %t
// RUN: FileCheck %s < %t
// CHECK: func @f(%a: tensor<[B]xf32>, %u: tensor<[u]xf32>)
// CHECK-NEXT: nonzero %a : tensor<[u_1]x1xi64> where u_1 <= B
// CHECK-NEXT: cast {{.*}} : tensor<[u_1]x1xf32>
// CHECK: nonzero %u : tensor<[u_2]x1xi64> where u_2 <= u
// CHECK-NEXT: cast {{.*}} : tensor<[u_2]x1xf32>
// RUN: mlgc eval %s --function=f --input=a=3xf32=1,0,2 --input=u=4xf32=0,3,0,5 > %t.before
// RUN: mlgc eval %t --function=f --input=a=3xf32=1,0,2 --input=u=4xf32=0,3,0,5 | FileCheck %s --check-prefix=SUM
// RUN: FileCheck %s --check-prefix=SUM < %t.before
// SUM: 6.0
// RUN: mlgc eval %s -O0 --function=f --input=a=3xf32=1,0,2 --input=u=4xf32=0,3,0,5 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// AGREE: by cpp: agrees
func @places(%x: tensor<[N]xf32>) -> tensor<f32> {
  %p = nonzero %x : tensor<[u]x1xi64> where u <= N
  %q = cast %p {dtype = f32}
  %s = sum %q {dim = [0, 1]}
  return %s
}
func @f(%a: tensor<[B]xf32>, %u: tensor<[u]xf32>) -> tensor<f32> {
  %0 = call @places, %a
  %1 = call @places, %u
  %2 = add %0, %1
  return %2
}
