// Passes may run before a function is evaluated. Made-up weights and names of results are those of the module as given.
// RUN: mlgc eval %s --input=x=1,2 --random-weights=1 > %t.txt
// RUN: mlgc eval -O2 %s --input=x=1,2 --random-weights=1 | diff %t.txt -
// RUN: mlgc eval %s --pass-pipeline=inline,dce --input=x=1,2 --random-weights=1 | diff %t.txt -
// RUN: FileCheck %s < %t.txt
// RUN: %exits 2 mlgc eval %s --pass-pipeline=unknown --input=x=1,2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK: y: 2xf32
// CHECK: z: 2xf32
// UNKNOWN: error: unknown pass `unknown`
weight @unread : tensor<2xf32>
weight @w : tensor<2xf32>
func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = read @w
  %y = mul %x, %w
  %a = clone %x
  %z = mul %a, %w
  return %y, %z
}
