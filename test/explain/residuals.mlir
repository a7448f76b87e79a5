// Residual connections are found by structure: an identity, a projection of a contraction and a norm, a `cat` of a value
// and what was made of it; no gate, no sum of two branches, no rotation of halves, and none around an activation.
// RUN: mlgc explain residuals %s | FileCheck %s
// RUN: mlgc explain residuals %s --format=json | FileCheck %s --check-prefix=JSON
// CHECK: @identity: 1 residual connection
// CHECK-NEXT: %y = add  from argument %x  over 3 ops (linear, relu, linear)  identity  {{.*}}residuals.mlir:{{[0-9]+}}:10
// CHECK: @projection: 1 residual connection
// CHECK-NEXT: %y = add  from %a of relu  over 3 ops (linear, gelu, linear)  projection, 1 op (linear)  {{.*}}residuals.mlir:{{[0-9]+}}:10
// CHECK: @dense: 1 residual connection
// CHECK-NEXT: %y = cat  from argument %x  over 1 op (tanh)  identity
// CHECK: @none: 0 residual connections
// CHECK: @loop: 0 residual connections
// CHECK: @loop, `body` of scan ({{.*}}): 1 residual connection
// CHECK-NEXT: %{{.*}} = add  from argument %c  over 1 op (tanh)  identity
// JSON: {"version":1,"regions":[{"function":"identity","region":"","connections":[{"join":{"op":"add","results":"%y"
// JSON-SAME: "from":"%x","shortcut":"identity","short_path":[],"body":[{"op":"linear"
module {
  weight @w : tensor<16x16xf32>
  func @identity(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %w = read @w
    %0 = linear %x, %w
    %1 = relu %0
    %2 = linear %1, %w
    %y = add %2, %x
    return %y
  }
  func @projection(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %w = read @w
    %a = relu %x
    %0 = linear %a, %w
    %1 = gelu %0
    %2 = linear %1, %w
    %3 = linear %a, %w
    %y = add %2, %3
    return %y
  }
  func @dense(%x: tensor<4x16xf32>) -> tensor<4x32xf32> {
    %0 = tanh %x
    %y = cat %x, %0 {dim = 1}
    return %y
  }
  func @none(%x: tensor<4x16xf32>, %z: tensor<4x16xf32>, %c: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) {
    %w = read @w
    %gate = sigmoid %x
    %gated = mul %x, %gate
    %0 = linear %x, %w
    %1 = linear %x, %w
    %branches = add %0, %1
    %2 = relu %x
    %3 = linear %0, %w
    %activated = add %2, %3
    %other = add %x, %z
    return %gated, %branches, %activated, %other
  }
  func @loop(%h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
    %h = scan %h0, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
      %0 = tanh %c
      %next = add %c, %0
      yield %next
    }
    return %h
  }
}
