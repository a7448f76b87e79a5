// Made-up values are such that the function can be run: integers that index something lie within it, those of weights
// too, and roots are taken of what is positive. Flags that say `rand` are taken at their word.
// RUN: mlgc eval %s --random-inputs=1 --random-weights=1 --dim=B=40 | FileCheck %s
// RUN: %exits 1 mlgc eval %s --input=ids=rand --random-inputs=1 --random-weights=1 --dim=B=40 2>&1 | FileCheck %s --check-prefix=RAND
// CHECK: least: i64
// CHECK-NEXT: 0
// CHECK-NEXT: most: i64
// CHECK-NEXT: 2
// CHECK-NEXT: positive: i1
// CHECK-NEXT: true
// RAND: error: reading `weight` at index {{[3-9]}} of axis 0, which has size 3
module @lookup {
  weight @table : tensor<3x2xf32>
  weight @order : tensor<5xi64>
  func @forward(%ids: tensor<[B]xi64>, %x: tensor<[B]x1xf32>) -> (tensor<i64>, tensor<i64>, tensor<i1>) {
    %table = read @table
    %order = read @order
    %sorted = index_select %table, %order {dim = 0}
    %rows = embedding %table, %ids
    %root = sqrt %x
    %least = amin %ids
    %most = amax %ids
    %zero = gt %x {other = 0.0}
    %positive = all %zero
    return %least, %most, %positive
  }
}
