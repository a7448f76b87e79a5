// What fuses with what, by name: chains of values are vertical, kernels that only read the same are horizontal, and long
// runs of elementwise ops are counted.
// RUN: mlgc explain fusion %s | FileCheck %s
// RUN: mlgc explain fusion %s --format=json | FileCheck %s --check-prefix=JSON
// CHECK: patterns:
// CHECK-NEXT: linear + relu            vertical  2 kernels  1024*B bytes saved
// CHECK-NEXT: 5 elementwise ops + sum  vertical  1 kernel   2560*B bytes saved
// CHECK: patterns:
// CHECK-NEXT: abs + sum + mul + sum  horizontal  1 kernel  327680 bytes saved
// JSON: "patterns":[{"ops":"linear + relu","direction":"vertical","kernels":2,"saved":"
func @f(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> (tensor<[B]x64xf32>, tensor<f32>) {
  %0 = linear %x, %w
  %1 = relu %0
  %2 = linear %1, %w
  %3 = relu %2
  %4 = exp %x
  %5 = sin %4
  %6 = tanh %5
  %7 = neg %6
  %8 = cos %7
  %s = sum %8 {dim = [0, 1]}
  return %3, %s
}
func @g(%x: tensor<256x64xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %a = abs %x
  %m = sum %a {dim = [1]}
  %b = mul %x, %x
  %n = sum %b {dim = [1]}
  return %m, %n
}
