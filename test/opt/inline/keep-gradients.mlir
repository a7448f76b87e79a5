// A call of a function that states its gradient stays on request; others, also inside of it, become ops.
// RUN: mlgc opt %s --inline=keep-gradients=true --statistics 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNT < %t.err
// COUNT: calls-inlined: 2
// COUNT: calls-with-gradient: 1
// CHECK: func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> gradient @back {
// CHECK-NEXT: add %x, %x
// CHECK: func @main(
// CHECK-NEXT: %0 = call @f, %a
// CHECK-NEXT: add %0, %0
// RUN: mlgc opt %s --inline | FileCheck %s --check-prefix=ALL --implicit-check-not='call '
// ALL: func @main(
module {
  func @twice(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
    %0 = add %x, %x
    return %0
  }
  func @back(%x: tensor<[N]xf32>, %g: tensor<[N]xf32>) -> tensor<[N]xf32> {
    return %g
  }
  func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> gradient @back {
    %0 = call @twice, %x
    return %0
  }
  func @main(%a: tensor<[B]xf32>) -> tensor<[B]xf32> {
    %0 = call @f, %a
    %1 = call @twice, %0
    return %1
  }
}
