// A sum over nothing is 0, also where its subscripts divide by the size that is 0: nothing is read. As loops too.
// RUN: mlgc eval %s --input=x=0xf32=iota | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=x=0xf32=iota | FileCheck %s
// RUN: mlgc eval %s --input=x=2xf32=iota | FileCheck %s --check-prefix=SOME
// CHECK: [0.0, 0.0, 0.0]
// SOME: [1.0, 1.0, 1.0]
func @f(%x: tensor<[A]xf32>) -> tensor<3xf32> {
  %0 = compute %x {formula = "y[i] = sum[k](x0[(k + i) mod dim(x0, 0)]) where i = 3, k = dim(x0, 0)"} : tensor<3xf32>
  return %0
}
