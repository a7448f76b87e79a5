// A guard in which the index of the loop stands in a quotient by a number is a bound of the loop too: the gradient of an
// adaptive pool adds up the windows that hold an element.
// RUN: mlgc opt %s --fuse --lower-to-loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=f --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME-COUNT-2: agrees
// CHECK-LABEL: func @f.0.compute
// CHECK-NOT: guard
// CHECK: for [2*%i - ((5*%i + 13) floordiv 14), (-5*%i + 8) floordiv 14 + 2*%i + 2] (%h: index, {{.*}}) {
// CHECK-NOT: guard
// CHECK-LABEL: func @f.1.compute
// CHECK-NOT: guard
// CHECK: for [(%i - 1) ceildiv 3, min((%i + 2) floordiv 3 + 2, 7)] (%h: index, {{.*}}) {
// CHECK-NOT: guard
// CHECK: return
func @f(%g: tensor<23xf32>, %a: tensor<7xf32>) -> (tensor<14xf32>, tensor<23xf32>) {
  %y = compute %g {formula = "y[i] = sum[h | (14*h) floordiv 23 <= i and i <= (14*h + 13) floordiv 23](x0[h]) over i < 14, h < 23"} : tensor<14xf32>
  %z = compute %a {formula = "y[i] = sum[h | 0 <= (i - 3*h + 5) floordiv 2 and (i - 3*h) floordiv 2 <= 0](x0[h]) over i < 23, h < 7"} : tensor<23xf32>
  return %y, %z
}
