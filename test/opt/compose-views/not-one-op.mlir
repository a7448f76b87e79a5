// A reshape of a transpose is no single op; two selects drop two axes; padding is more than movement.
// RUN: mlgc opt %s --compose-views --statistics -o /dev/null 2>&1 | FileCheck %s
// CHECK: {{^}}unchanged: compose-views{{$}}
func @f(%x: tensor<[B]x4x6xf32>) -> (tensor<[B]x24xf32>, tensor<[B]xf32>, tensor<[B]x4x6xf32>) {
  %a = permute %x {dims = [0, 2, 1]}
  %b = view %a {shape = [B, 24]}
  %c = select %x {dim = 2, index = 1}
  %d = select %c {dim = 1, index = 1}
  %e = pad %x {pad = [1, 0]}
  %f = slice %e {dim = 2, start = 1}
  return %b, %d, %f
}
