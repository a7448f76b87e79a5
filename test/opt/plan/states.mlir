// A state is written over its old value where nothing reads that later and nothing can fail any more.
// RUN: mlgc opt %s -O0 --to=plan > %t
// RUN: FileCheck %s < %t
// RUN: mlgc eval %s --function=fits --random-inputs=4 --random-weights=2 -O0 > %t.graph
// RUN: mlgc eval %t --function=fits --random-inputs=4 --random-weights=2 | diff - %t.graph
state @s : tensor<8xf32>
// CHECK-LABEL: func @fits(
// CHECK-SAME: updates (@s = %s2) attributes {in_place = ["s"], planned = true, results = 1}
func @fits(%x: tensor<8xf32>) -> tensor<8xf32> updates (@s = %s2) {
  %s = read @s : tensor<8xf32>
  %y = mul %s, %x : tensor<8xf32>
  %s2 = add %y, %s : tensor<8xf32>
  return %y, %s2
}
// The old value is turned around.
// CHECK-LABEL: func @turned(
// CHECK-SAME: updates (@s = %s2) attributes {planned = true, results = 0}
func @turned() updates (@s = %s2) {
  %s = read @s : tensor<8xf32>
  %s2 = flip %s {dims = [0]} : tensor<8xf32>
  return %s2
}
// A row that lies outside ends the call, behind the new value.
// CHECK-LABEL: func @fails(
// CHECK-SAME: updates (@s = %s2) attributes {planned = true, results = 1}
func @fails(%i: tensor<2xi64>) -> tensor<2xf32> updates (@s = %s2) {
  %s = read @s : tensor<8xf32>
  %s2 = exp %s : tensor<8xf32>
  %y = index_select %s2, %i {dim = 0} : tensor<2xf32>
  return %y, %s2
}
