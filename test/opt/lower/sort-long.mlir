// Places of a sort by digits have 32 bits: a longer row is refused when it is sorted, whether its length is known or not.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK: func @known.0.sort(
// CHECK-NEXT: check [-852516353] {message = "a row to sort of more than 2147483647 elements"}
// CHECK: func @unknown.0.sort(
// CHECK: check [-N + 2147483647] {message = "a row to sort of more than 2147483647 elements"}
func @known(%x: tensor<3000000000xf32>) -> (tensor<3000000000xf32>, tensor<3000000000xi64>) {
  %v, %i = sort %x {dim = 0}
  return %v, %i
}
func @unknown(%x: tensor<[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xi64>) {
  %v, %i = sort %x {dim = 0}
  return %v, %i
}
