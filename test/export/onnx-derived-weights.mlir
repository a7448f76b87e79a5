// A derived weight is computed in the graph, also one that reads another one.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: f (float[2] x, float[2] w) => (float[2] y)
// CHECK-NEXT:   <float number = {2.0}> 
// CHECK-NEXT: {
// CHECK-NEXT:   t = Mul (w, number)
// CHECK-NEXT:   e = Exp (t)
// CHECK-NEXT:   y = Add (x, e)
// CHECK-NEXT: }
module {
  weight @w : tensor<2xf32>
  weight @twice : tensor<2xf32> = {
    %w = read @w
    %0 = mul %w {other = 2.0}
    yield %0
  }
  weight @exp : tensor<2xf32> = {
    %t = read @twice
    %0 = exp %t
    yield %0
  }
  func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %e = read @exp
    %y = add %x, %e
    return %y
  }
}
