// A comparison of the index of a loop with a number that data say is a bound of the loop, cut to its range: each bag goes
// through its own indices alone, whatever the offsets are.
// RUN: mlgc opt %s --fuse --lower-to-loops | FileCheck %s
// CHECK: %[[FROM:.*]] = load %{{.*}}[%[[B:.*]]] : i64
// CHECK: %[[NEXT:.*]] = if
// CHECK: for [min(N, max(%[[FROM]], 0)), min(N, max(%[[NEXT]], 0))]
// CHECK-NOT: = lt
// RUN: mlgc eval %s -O2 --random-inputs=1 --dim=N=9 --input=offsets=5xi64=-5,100,2,-9223372036854775808,9223372036854775807 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by interp: agrees
// SAME: y by cpp: agrees
func @f(%weight: tensor<7x5xf32>, %indices: tensor<[N]xi64>, %offsets: tensor<[B]xi64>) -> tensor<[B]x5xf32> {
  %y = embedding_bag %weight, %indices, %offsets {mode = "mean"}
  return %y
}
