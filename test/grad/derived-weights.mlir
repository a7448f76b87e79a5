// A gradient by a weight goes through the weights that are derived from it: d(x*w*w*w)/dw = 3*x*w*w.
// RUN: mlgc grad %s --wrt=@w | FileCheck %s
// CHECK: func @f_grad
// CHECK-NOT: read @v
// RUN: mlgc grad %s --wrt=@w --check --random-inputs=1 --random-weights=1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: checked 6 adjoints and 1 gradient: all agree
module {
  weight @w : tensor<3xf32>
  weight @v : tensor<3xf32> = {
    %w = read @w
    %t = mul %w, %w
    yield %t
  }
  func @f(%x: tensor<3xf32>) -> tensor<f32> {
    %v = read @v
    %w = read @w
    %a = mul %x, %v
    %b = mul %a, %w
    %y = sum %b {dim = [0]}
    return %y
  }
}
