// Ops that move elements are index arithmetic in what reads them until that is too long: then one of them is a kernel.
// RUN: mlgc explain fusion %s | FileCheck %s
// RUN: mlgc opt %s --fuse --verify-each=numeric > /dev/null
// CHECK: {{^}}4 kernels of 4 ops, 3 views, 0 ops in no kernel; 5 of 8 uses fused{{$}}
// CHECK: {{^}}    apart  %v1 of view  by %r2 = roll  2400 bytes lost   subscripts: computing a subscript of an element would take longer than another pass over memory; needs fewer ops in a row that move elements{{$}}
func @f(%x: tensor<24x25xf32>) -> tensor<24x25xf32> {
  %r0 = roll %x {dims = [0, 1], shifts = [1, 2]} : tensor<24x25xf32>
  %v0 = view %r0 {shape = [40, 15]} : tensor<40x15xf32>
  %r1 = roll %v0 {dims = [0, 1], shifts = [2, 3]} : tensor<40x15xf32>
  %v1 = view %r1 {shape = [12, 50]} : tensor<12x50xf32>
  %r2 = roll %v1 {dims = [0, 1], shifts = [3, 4]} : tensor<12x50xf32>
  %v2 = view %r2 {shape = [8, 75]} : tensor<8x75xf32>
  %r3 = roll %v2 {dims = [0, 1], shifts = [1, 5]} : tensor<8x75xf32>
  %v3 = view %r3 {shape = [24, 25]} : tensor<24x25xf32>
  %z = relu %v3 : tensor<24x25xf32>
  return %z
}
