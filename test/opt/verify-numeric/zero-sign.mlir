// x + 0 may lose the sign of a zero, which is its class; a division that shows the sign makes it no mismatch.
// RUN: mlgc opt %s --canonicalize --verify-each=numeric 2>&1 | FileCheck %s
// CHECK: checked 1 pass: 1 function, {{[0-9]+}} runs, all agree
// CHECK: note: rewrite 1, `add-zero`, may change the sign of a zero, and with values with edges `@f` makes more of it: `%a` of `add` [{{[0-9]}}] was 0.0 and is -0.0
func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = add %x {other = 0.0}
  %y = reciprocal %a
  return %y
}
