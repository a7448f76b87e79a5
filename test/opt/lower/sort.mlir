// Rows are sorted by merging, in N log N steps, and the best few of them selected: equal elements keep their order, NaN is the largest, as by the formula.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc eval %s --function=f --input=x=1x7xf32=2.0,nan,1.0,2.0,-0.0,0.0,nan > %t.graph
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=f --input=x=1x7xf32=2.0,nan,1.0,2.0,-0.0,0.0,nan > %t.loops
// RUN: diff %t.graph %t.loops
// RUN: FileCheck %s --check-prefix=VALUES --input-file=%t.loops
// CHECK-LABEL: func @f.0.sort(%x: buffer<[B]x[N]xf32, argument>, %values: buffer<[B]x[N]xf32, argument>, %indices: buffer<[B]x[N]xi64, argument>)
// CHECK: for [0, B] (%b0: index) attributes {kind = "parallel"}
// CHECK-NEXT: %keys = alloc : buffer<[N]xf32, thread>
// CHECK-NEXT: %order = alloc : buffer<[N]xi64, thread>
// CHECK: while
// CHECK: load %keys[{{.*}}] {checked = true} : f32
// CHECK-NOT: where {{.*}} : f32
// CHECK: bitwise_and
// CHECK-LABEL: func @f.1.topk(
// CHECK: %best = alloc : buffer<4xf32, thread>
// CHECK: for [0, 3] (%j: index)
// CHECK: for [0, 3] (%j_1: index)
// CHECK: load %best[%j_1 + 1]
// CHECK: for [3, N] (%j: index)
// CHECK: load %best[3]
// CHECK: if %
// CHECK: for [0, 3] (%j_1: index)
// CHECK: for [0, 3] (%j: index)
// CHECK-NEXT: [[PLACE:%.*]] = load %places[%j + 1]
// CHECK-NEXT: store [[PLACE]], %indices[%b0, %j]
// VALUES: i: 1x7xi64
// VALUES-NEXT: 1, 6, 0, 3, 2, 4, 5]
// VALUES: j: 1x3xi64
// VALUES-NEXT: 4, 5, 2]
func @f(%x: tensor<[B]x[N]xf32>) -> (tensor<[B]x[N]xf32>, tensor<[B]x[N]xi64>, tensor<[B]x3xi64>) where 3 <= N {
  %v, %i = sort %x {dim = 1, descending = true}
  %w, %j = topk %x {dim = 1, k = 3, largest = false}
  return %v, %i, %j
}
