// What is computed, moved and then read more than once is computed for each read as long as that is cheap; then it is
// kept, here what the fourth norm reads.
// RUN: mlgc opt %s --to=scalar-loops | FileCheck %s
// RUN: mlgc opt %s --fuse --verify-each=numeric > /dev/null
// CHECK: {{^}}    %r3 = alloc : buffer<16x32xf32, arena>{{$}}
// CHECK: {{^}}        %3 = load %x[(%b0 + 15) mod 16, %n0] : f32{{$}}
// CHECK: {{^}}        %3 = load %x[(%b5 + 13) mod 16, %n3] : f32{{$}}
// CHECK: {{^}}        %3 = load %x[(%b10 + 10) mod 16, %n6] : f32{{$}}
// CHECK: {{^}}        %0 = load %x[(%i6 + 6) mod 16, %i7] : f32{{$}}
// CHECK: {{^}}        store %12, %r3[%i6, %i7]{{$}}
// CHECK: {{^}}        %3 = load %r3[%b15, %n9] : f32{{$}}
// CHECK: {{^}}        %8 = load %r3[%b15, %n10] : f32{{$}}
// CHECK: {{^}}        %0 = load %r3[%b17, %n11] : f32{{$}}
func @f(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %r0 = roll %x {dims = [0], shifts = [1]} : tensor<16x32xf32>
  %a0, %m0, %v0 = layer_norm %r0 {normalized_shape = [32]} : tensor<16x32xf32>, tensor<16x1xf32>, tensor<16x1xf32>
  %r1 = roll %a0 {dims = [0], shifts = [2]} : tensor<16x32xf32>
  %a1, %m1, %v1 = layer_norm %r1 {normalized_shape = [32]} : tensor<16x32xf32>, tensor<16x1xf32>, tensor<16x1xf32>
  %r2 = roll %a1 {dims = [0], shifts = [3]} : tensor<16x32xf32>
  %a2, %m2, %v2 = layer_norm %r2 {normalized_shape = [32]} : tensor<16x32xf32>, tensor<16x1xf32>, tensor<16x1xf32>
  %r3 = roll %a2 {dims = [0], shifts = [4]} : tensor<16x32xf32>
  %a3, %m3, %v3 = layer_norm %r3 {normalized_shape = [32]} : tensor<16x32xf32>, tensor<16x1xf32>, tensor<16x1xf32>
  return %a3
}
