// Far from 0 the powers in the series underflow and their sum does not: trigamma is 1/x there.
// RUN: mlgc eval %s --input=x=3xf64=8.98846567431158e307,1e200,1e170 --output=y=- | FileCheck %s
// CHECK: y: 3xf64
// CHECK-NEXT: [1.11253692925360{{[0-9]*}}e-308, {{ *}}1e-200, {{ *}}1e-170]
// RUN: mlgc eval %s --input=x=3xf64=8.98846567431158e307,1e200,1e170 --compare=cpp | FileCheck %s --check-prefix=CPP
// CPP: y by cpp: agrees
func @far_out(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = polygamma %x {n = 1} : tensor<3xf64>
  return %y
}
