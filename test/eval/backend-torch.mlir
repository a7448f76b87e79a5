// REQUIRES: libtorch
// PyTorch computes what it has; the interpreter computes the rest, which is listed with numbers and reasons.
// RUN: mlgc eval %s --function=f --input=1,2,3 --input=7,0 --backend=torch > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=NOTE < %t.err
// CHECK: a: 3xf32
// CHECK-NEXT: [1.0, 3.0, 6.0]
// CHECK: b: 3xf32
// CHECK-NEXT: [1.0, 4.0, 9.0]
// NOTE: mlgc: note: 4 of 7 ops ran in PyTorch {{[0-9.]+}}, the interpreter ran the others: 1 constant, 1 scan, 1 uniform (PyTorch draws other numbers from the same seed)
// NOTE-NOT: {{.}}
// Nothing is said when all of them ran in PyTorch.
// RUN: mlgc eval %s --function=g --input=1,2 --backend=torch 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: y: 2xf32
// ALL-NEXT: [1.0, 4.0]
// ALL-NOT: {{.}}
func @f(%x: tensor<3xf32>, %key: tensor<2xi64>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = constant {value = dense<0.0> : tensor<f32>}
  %drawn = uniform %key {size = [3]}
  %sum, %a = scan %zero, %x (%c: tensor<f32>, %v: tensor<f32>) attributes {carried = 1} {
    %next = add %c, %v
    yield %next, %next
  }
  %b = mul %x, %x
  return %a, %b
}
func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = mul %x, %x
  return %y
}
