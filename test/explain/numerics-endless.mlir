// A loop that its input never ends is an error, in its place.
// RUN: %exits 5 mlgc explain numerics %s -O0 --input=a=f32=inf 2>&1 | FileCheck %s --match-full-lines
// CHECK: {{.*}}numerics-endless.mlir:[[@LINE+2]]:11: error: the loop runs more than 1048576 times
func @f(%a: tensor<f32>) -> tensor<f32> {
  %last = while (%c = %a) {
    %go = gt %c {other = 2.0}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %next = sqrt %d
    yield %next
  }
  return %last
}
