// The gradient of an `if` is an `if`, and only the side that ran sends something back.
// RUN: mlgc grad %s --of=y -o %t.mlir
// RUN: mlgc eval %t.mlir --input=c=true --input=x=3 --input=z=5 | FileCheck %s --check-prefix=YES
// RUN: mlgc eval %t.mlir --input=c=false --input=x=3 --input=z=5 | FileCheck %s --check-prefix=NO
// YES: d_x: f64
// YES-NEXT: 6
// YES: d_z: f64
// YES-NEXT: 0
// NO: d_x: f64
// NO-NEXT: 5
// NO: d_z: f64
// NO-NEXT: 3
func @choose(%c: tensor<i1>, %x: tensor<f64>, %z: tensor<f64>) -> tensor<f64> {
  %y = if %c {
    %square = mul %x, %x
    yield %square
  } else {
    %product = mul %x, %z
    yield %product
  }
  return %y
}
