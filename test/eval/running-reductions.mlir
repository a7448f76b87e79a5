// Reductions over all elements up to an index are carried along their axis: in quadratic time this would take minutes.
// Where the body knows the index, or lies behind a condition, each index has a reduction of its own.
// RUN: bash -c "ulimit -t 60; exec mlgc eval %s --function=long --input=x=iota" | FileCheck %s --check-prefix=LONG
// RUN: mlgc eval %s --function=several --input=x=iota | FileCheck %s --check-prefix=SEVERAL
// RUN: mlgc eval %s --function=extrema '--input=x=[[0,-0.0,nan,1,nan],[2,1,1,2,1]]' | FileCheck %s --check-prefix=EXTREMA
// LONG: sums: 300000xi64
// LONG-NEXT: [ 0, 1, 3, ..., 44999250003, 44999550001, 44999850000]
// LONG: products: 300000xi64
// LONG-NEXT: [0, 0, 0, ..., 0, 0, 0]
// LONG: largest: 300000xi64
// LONG-NEXT: [ 0, 1, 2, ..., 299997, 299998, 299999]
// LONG: smallest_at: 300000xi64
// LONG-NEXT: [0, 0, 0, ..., 0, 0, 0]
func @long(%x: tensor<300000xi64>) -> (tensor<300000xi64>, tensor<300000xi64>, tensor<300000xi64>, tensor<300000xi64>) {
  %sums = cumsum %x {dim = 0}
  %products = cumprod %x {dim = 0}
  %largest, %at = cummax %x {dim = 0}
  %smallest, %smallest_at = cummin %x {dim = 0}
  return %sums, %products, %largest, %smallest_at
}
// SEVERAL: all_same: i1
// SEVERAL-NEXT: true
func @several(%x: tensor<2x300xf32>) -> tensor<i1> {
  %carried = compute %x {formula = "y[p, j] = sum[k | k <= j](x0[p, k])*max[k | k <= j](x0[p, k]) - x0[p, j] where j = #k"}
  %alone = compute %x {formula = "y[p, j] = select(j < 0, x0[p, j], sum[k | k <= j](x0[p, k] + real(j - j)))*max[k | k < j + 1](x0[p, k] + 0*real(j)) - x0[p, j] where j = #k"}
  %same = eq %carried, %alone
  %all_same = all %same
  return %all_same
}
// EXTREMA: values: 2x5xf32
// EXTREMA-NEXT: [ 0.0, -0.0, nan, nan, nan],
// EXTREMA-NEXT: [ 2.0, 2.0, 2.0, 2.0, 2.0]
// EXTREMA: at: 2x5xi64
// EXTREMA-NEXT: [0, 1, 2, 2, 4],
// EXTREMA-NEXT: [0, 0, 0, 3, 3]
// EXTREMA: least_at: 2x5xi64
// EXTREMA-NEXT: [0, 1, 2, 2, 4],
// EXTREMA-NEXT: [0, 1, 2, 2, 4]
func @extrema(%x: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>, tensor<2x5xi64>) {
  %values, %at = cummax %x {dim = 1}
  %least, %least_at = cummin %x {dim = 1}
  return %values, %at, %least_at
}
