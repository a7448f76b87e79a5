// A slice of a slice is one slice; an element of it one select; a flip there and back between transposes is a permute.
// RUN: mlgc opt %s --compose-views --dce | FileCheck %s
// CHECK: %b = slice %x {dim = 1, end = 9, start = 1, step = 4}
// CHECK-NEXT: %c = select %x {dim = 1, index = 5}
// CHECK-NEXT: %f = permute %x {dims = [1, 0]}
func @f(%x: tensor<[B]x9xf32>) -> (tensor<[B]x2xf32>, tensor<[B]xf32>, tensor<9x[B]xf32>) {
  %a = slice %x {dim = 1, start = 1, step = 2}
  %b = slice %a {dim = 1, start = 0, step = 2}
  %c = select %b {dim = 1, index = 1}
  %d = flip %x {dims = [1]}
  %e = transpose %d {dim0 = 0, dim1 = 1}
  %f = flip %e {dims = [0]}
  return %b, %c, %f
}
