// New states are results too, under the names of what they replace.
// RUN: mlgc eval %s --input=x=2 --random-weights=1 | FileCheck %s
// CHECK: old: i64
// CHECK: @count: i64
module {
  state @count : tensor<i64>
  func @f(%x: tensor<i64>) -> tensor<i64> updates (@count = %n) {
    %old = read @count
    %n = add %old, %x
    return %old, %n
  }
}
