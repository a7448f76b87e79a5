// A sum that grows with an index is carried by one loop over it, as an extremum and its place are; what follows is
// applied to each partial sum. Where the body knows the index, it is computed for each.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=f --input=x=2x3xf32=iota | FileCheck %s --check-prefix=VALUES
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=f --input=x=2x0xf32=iota | FileCheck %s --check-prefix=NONE
// CHECK-LABEL: func @f.0.cumsum_mul(
// CHECK: for [0, B] {{.*}}kind = "parallel"
// CHECK-NEXT: [[ZERO:%.*]] = literal
// CHECK-NEXT: for [0, N] (%j: index, [[ACC:%.*]] = [[ZERO]]) {
// CHECK: [[SUM:%.*]] = add [[ACC]]
// CHECK-NEXT: cast [[SUM]] {dtype = f32}
// CHECK: store
// CHECK-NEXT: yield [[SUM]]
// CHECK-LABEL: func @g.0.compute(
// CHECK: for [0, N] (%j: index) attributes {kind = "parallel"}
// CHECK: for [0, %j + 1] (%k: index
// CHECK-LABEL: func @h.0.cummax(
// CHECK: for [0, N] (%{{.*}}: index, [[BEST:%.*]] = {{%.*}}) {
// CHECK: maximum {{%.*}}, [[BEST]]
// CHECK: for [0, N] (%{{.*}}: index, [[AT:%.*]] = {{%.*}}) {
// CHECK: maximum {{%.*}}, [[AT]]
// Where nothing is a row, its loop is the innermost one and starts anew in each of the others.
// CHECK-LABEL: func @all.0.cumsum_sum(
// CHECK: for [0, 3] (%[[Q:.*]]: index) {{.*}}kind = "parallel"
// CHECK-NEXT: for [0, N] (%[[J:.*]]: index, [[PART:%.*]] = {{%.*}}) {
// CHECK: store {{%.*}}, {{%.*}}[%[[J]], %[[Q]]]
// RUN: mlgc opt %s --to=loops | mlgc eval - --function=all --input=x=4x3xf32=iota | FileCheck %s --check-prefix=ALL
// RUN: mlgc eval %s --function=all --input=x=4x3xf32=iota | FileCheck %s --check-prefix=ALL
// ALL: 120.0
// VALUES: 0.0, 2.0, 6.0],
// VALUES-NEXT: 6.0, 14.0, 24.0]
// NONE: 2x0xf32
func @f(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> {
  %0 = cumsum %x {dim = 1}
  %1 = mul %0 {other = 2}
  return %1
}
func @g(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %0 = compute %x {formula = "y[j] = sum[k | k <= j](x0[k]*real(j - k)) where j = #k"} : tensor<[N]xf32>
  return %0
}
func @h(%x: tensor<[N]x3xf32>) -> (tensor<[N]x3xf32>, tensor<[N]x3xi64>) {
  %values, %at = cummax %x {dim = 0}
  return %values, %at
}
func @all(%x: tensor<[N]x3xf32>) -> tensor<f32> {
  %0 = cumsum %x {dim = 0}
  %1 = sum %0
  return %1
}
