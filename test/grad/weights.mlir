// Weights are asked for with an `@`; a weight that is read twice has one gradient, the sum.
// RUN: mlgc grad %s --wrt=@w | mlgc eval - --random-weights=1 --input=x=3 | FileCheck %s
// CHECK: d_w: f64
// CHECK-NEXT: 6
module {
  weight @w : tensor<f64>
  func @twice(%x: tensor<f64>) -> tensor<f64> {
    %a = read @w
    %b = read @w
    %c = mul %a, %x
    %d = mul %x, %b
    %y = add %c, %d
    return %y
  }
}
