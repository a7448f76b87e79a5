// Each of these rules of canonicalize.rules is used: movement.
// RUN: mlgc opt %s --canonicalize --numerics=fast | FileCheck %s
// RUN: mlgc opt %s --canonicalize --numerics=fast --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule clone: 1
// RULES-DAG: rule view-same: 1
// RULES-DAG: rule squeeze-same: 1
// RULES-DAG: rule expand-same: 1
// RULES-DAG: rule reshape-back: 1
// RULES-DAG: rule view-view: 1
// RULES-DAG: rule permute-identity: 2
// RULES-DAG: rule permute-permute: 4
// CHECK-LABEL: func @movement
// CHECK-NEXT: %g = view %x {shape = [3, 2]}
// CHECK-NEXT: permute %z {dims = [2, 0, 1]}
// CHECK-NEXT: permute %z {dims = [2, 0, 1]}
// CHECK-NEXT: return %x, %x, %x, %x, %x, %g, %x, %x
func @movement(%x: tensor<2x3xf32>, %z: tensor<2x3x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>) {
  %a = clone %x
  %b = view %x {shape = [2, 3]}
  %c = squeeze %x {dim = []}
  %d = expand %x {size = [2, 3]}
  %u = unsqueeze %x {dim = 1}
  %e = squeeze %u {dim = [1]}
  %v = view %x {shape = [6]}
  %g = view %v {shape = [3, 2]}
  %t = transpose %x {dim0 = 0, dim1 = 1}
  %h = transpose %t {dim0 = 1, dim1 = 0}
  %i = permute %x {dims = [0, 1]}
  %p = permute %z {dims = [1, 2, 0]}
  %q = permute %p {dims = [1, 2, 0]}
  %s = transpose %p {dim0 = 0, dim1 = -2}
  %r = transpose %s {dim0 = -1, dim1 = 1}
  return %a, %b, %c, %d, %e, %g, %h, %i, %q, %r
}
