// The gradient of a running sum is a running sum from the end, as PyTorch computes it: rows, and linear time. In
// quadratic time the long ones would take minutes.
// RUN: mlgc grad %s --function=f --seed | FileCheck %s
// CHECK: [[TURNED:%.*]] = flip %g_y {dims = [1]}
// CHECK-NEXT: [[SUMS:%.*]] = cumsum [[TURNED]] {dim = 1}
// CHECK-NEXT: %d_x = flip [[SUMS]] {dims = [1]}
func @f(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> {
  %y = cumsum %x {dim = 1}
  return %y
}
// RUN: mlgc grad %s --function=square --check | FileCheck %s --check-prefix=HELD
// HELD: all agree
// Interpreted, and as loops where one kernel holds all of it.
// RUN: mlgc grad %s --function=square -o %t.mlir
// RUN: bash -c "ulimit -t 60; exec mlgc eval %t.mlir --function=square_grad --input=x=200000x2xf64=iota" | FileCheck %s --check-prefix=LONG
// RUN: mlgc opt %t.mlir -O2 --to=loops -o %t.loops.mlir
// RUN: bash -c "ulimit -t 60; exec mlgc eval %t.loops.mlir --function=square_grad --input=x=200000x2xf64=iota" | FileCheck %s --check-prefix=LONG
// LONG: d_x: 200000x2xf64
// LONG-NEXT: [5{{[0-9]*}}.0, 5{{[0-9]*}}.0],
// A sum that starts behind the index, or whose body knows it, is computed for each.
// RUN: mlgc grad %s --function=strict --seed | FileCheck %s --check-prefix=STRICT
// STRICT: sum[{{.*}} - {{.*}} - 1 >= 0]
func @square(%x: tensor<[N]x2xf64>) -> tensor<f64> {
  %y = cumsum %x {dim = 0}
  %z = mul %y, %y
  %s = sum %z
  return %s
}
func @strict(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %y = compute %x {formula = "y[j] = sum[k | k < j](x0[k]) where j = #k"} : tensor<[N]xf32>
  return %y
}
