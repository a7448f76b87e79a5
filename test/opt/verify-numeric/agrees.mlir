// Right passes: what was judged is said on standard error, and the module is printed as without judging.
// RUN: mlgc opt %s --canonicalize --cse --dce --verify-each=numeric 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: mlgc opt %s --canonicalize --cse --dce | FileCheck %s
// CHECK: func @f(%x: tensor<[N]x4xf32>)
// CHECK-NEXT: %b = exp %x
// CHECK-NEXT: %y = add %b, %b
// ERR: checked 2 passes: 2 functions, {{[0-9]+}} runs, all agree
func @f(%x: tensor<[N]x4xf32>) -> tensor<[N]x4xf32> where 1 <= N {
  %a = mul %x {other = 1.0}
  %b = exp %a
  %c = exp %x
  %y = add %b, %c
  return %y
}
