// A call becomes the callee's ops; sizes are the caller's.
// RUN: mlgc opt %s --inline | FileCheck %s
// CHECK: func @f(%a: tensor<[B]xf32>)
// CHECK-NEXT: add %a, %a : tensor<[B]xf32>
// CHECK-NOT: call
module {
  func @twice(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
    %0 = add %x, %x
    return %0
  }
  func @f(%a: tensor<[B]xf32>) -> tensor<[B]xf32> {
    %0 = call @twice, %a
    return %0
  }
}
