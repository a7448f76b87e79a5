// What a function reads besides its arguments would get no gradient from one that it states, and a call drops updates.
// Integers have none anyway.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: beside-gradient.mlir:[[#@LINE+15]]:8: error: `@reads` states a gradient, which is one of results by arguments, but `@w` is read
// CHECK: note: make an argument of what is read, a result of what is updated
// CHECK: :[[#@LINE+23]]:8: error: `@calls` states a gradient, which is one of results by arguments, but `@helper` reads a weight or state
// CHECK: :[[#@LINE+26]]:1: error: `@updates` states a gradient, which is one of results by arguments, but it has `updates`
// CHECK-NOT: {{ error: }}
weight @w : tensor<f32>
weight @n : tensor<i64>
state @s : tensor<f32>

func @back(%x: tensor<f32>, %g: tensor<f32>) -> tensor<f32> {
  %w = read @w
  %d = mul %g, %w
  return %d
}
func @reads(%x: tensor<f32>) -> tensor<f32> gradient @back {
  %r = read @w
  %y = mul %x, %r
  return %y
}
func @helper(%x: tensor<f32>) -> tensor<f32> {
  %w = read @w
  %y = mul %x, %w
  return %y
}
func @calls(%x: tensor<f32>) -> tensor<f32> gradient @back {
  %y = call @helper, %x
  return %y
}

func @updates(%x: tensor<f32>) -> tensor<f32> updates (@s = %x) gradient @back {
  return %x, %x
}
func @integer(%x: tensor<f32>) -> tensor<f32> gradient @back {
  %n = read @n
  %w = cast %n {dtype = f32}
  %y = mul %x, %w
  return %y
}
