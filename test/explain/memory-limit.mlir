// What takes more than the limit that the function states is explained like any other; its sizes are those of --dim.
// RUN: mlgc explain memory %s --dim=B=8 | FileCheck %s
// CHECK: @f with B = 8: 512 bytes for 2 temporaries
func @f(%x: tensor<[B]x8xf32>, %w: tensor<8x8xf32>) -> tensor<[B]x8xf32> attributes {memory_limit = 1} {
  %a = matmul %x, %w
  %b = matmul %a, %w
  %y = matmul %b, %w
  return %y
}
