// A scale folded into the weight of a convolution: f64 inside, rounded once, named after what the casts surround.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @conv.mul : tensor<8x3x3x3xf32> = {
// CHECK: %w64 = cast %w {dtype = f64}
// CHECK: rsqrt
// CHECK: mul %w64, {{.*}} : tensor<8x3x3x3xf64>
// CHECK-NEXT: %wk = cast {{.*}} {dtype = f32}
// CHECK-NEXT: yield %wk
// CHECK: func @f
// CHECK-NEXT: %wk = read @conv.mul : tensor<8x3x3x3xf32>
// CHECK-NEXT: %y = conv2d %x, %wk
// CHECK-NEXT: return %y
weight @conv : tensor<8x3x3x3xf32>
weight @gamma : tensor<8xf32>
weight @variance : tensor<8xf32>
func @f(%x: tensor<[B]x3x8x8xf32>) -> tensor<[B]x8x6x6xf32> {
  %w = read @conv
  %g = read @gamma
  %v = read @variance
  %w64 = cast %w {dtype = f64}
  %g64 = cast %g {dtype = f64}
  %v64 = cast %v {dtype = f64}
  %safe = add %v64 {other = 1.0e-05}
  %inverse = rsqrt %safe
  %scale = mul %g64, %inverse
  %column = view %scale {shape = [8, 1, 1, 1]}
  %wk64 = mul %w64, %column
  %wk = cast %wk64 {dtype = f32}
  %y = conv2d %x, %wk
  return %y
}
