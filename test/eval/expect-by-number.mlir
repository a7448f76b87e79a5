// A reference that knows results by their numbers.
// RUN: sed -e 's/%added/%0/g' -e 's/%multiplied/%1/g' %s > %t.mlir
// RUN: mlgc eval %t.mlir --input=x=2xf32=1,2 --output=@%t.npz
// RUN: mlgc eval %s --input=x=2xf32=1,2 --expect=@%t.npz | FileCheck %s
// RUN: %exits 4 mlgc eval %s --input=x=2xf32=1,3 --expect=@%t.npz 2>&1 | FileCheck %s --check-prefix=OTHER
// CHECK: added: agrees
// CHECK: multiplied: agrees
// OTHER: mlgc: error: 2 of 2 results do not agree with `{{[^ ]*}}.npz`
func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %added = add %x, %x
  %multiplied = mul %x, %x
  return %added, %multiplied
}
