// Two permutes cancel though reshapes stand between and around them: what remains is one view.
// RUN: mlgc opt %s --compose-views --dce | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: %d = view %x {shape = [B, 24]}
// CHECK-NEXT: return %d
func @f(%x: tensor<[B]x4x6xf32>) -> tensor<[B]x24xf32> {
  %a = permute %x {dims = [0, 2, 1]}
  %b = view %a {shape = [B, 2, 3, 4]}
  %c = permute %b {dims = [0, 3, 1, 2]}
  %d = view %c {shape = [B, 24]}
  return %d
}
