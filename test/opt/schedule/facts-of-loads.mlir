// Places that are read under checks leave what is known of each: rows of a sum in registers, each with six tables, are
// still shown to keep to themselves, by the bounds of loops that stand around all of these checks.
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v3 > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --implicit-check-not=schedule.refused
// RUN: mlgc eval %s -O2 --random-weights=1 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// CHECK: func @f.0.linear{{.*}}(
// CHECK: for [{{.*}}] (%[[N:[^ :]*]]: index) attributes {kind = "vector", lanes = 16{{.*}}} {
// CHECK: for [0, 19] (%{{[^ :]*}}: index, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}
// SAME: result0 by cpp: agrees
// SAME: result1 by cpp: agrees
module {
  weight @w : tensor<29x19xf32>
  weight @t0 : tensor<83x29xf32>
  weight @t1 : tensor<83x29xf32>
  weight @t2 : tensor<83x29xf32>
  weight @t3 : tensor<83x29xf32>
  weight @t4 : tensor<83x29xf32>
  weight @t5 : tensor<83x29xf32>
  func @f(%x: tensor<144x19xf32>, %i: tensor<144x6xi64>) -> (tensor<144x29xf32>, tensor<144x7x29xf32>) {
    %w = read @w
    %t0 = read @t0
    %t1 = read @t1
    %t2 = read @t2
    %t3 = read @t3
    %t4 = read @t4
    %t5 = read @t5
    %0 = linear %x, %w
    %1 = relu %0
    %i0 = select %i {dim = 1, index = 0}
    %i1 = select %i {dim = 1, index = 1}
    %i2 = select %i {dim = 1, index = 2}
    %i3 = select %i {dim = 1, index = 3}
    %i4 = select %i {dim = 1, index = 4}
    %i5 = select %i {dim = 1, index = 5}
    %e0 = embedding %t0, %i0
    %e1 = embedding %t1, %i1
    %e2 = embedding %t2, %i2
    %e3 = embedding %t3, %i3
    %e4 = embedding %t4, %i4
    %e5 = embedding %t5, %i5
    %2 = stack %1, %e0, %e1, %e2, %e3, %e4, %e5 {dim = 1}
    return %1, %2
  }
}
