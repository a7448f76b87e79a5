// The gradient of a max-pool goes to where the forward op has found the largest elements. Places that data say are any,
// but each channel has its own: threads share these.
// RUN: mlgc grad %s --seed | mlgc opt - --to=loops | FileCheck %s
// RUN: mlgc grad %s --seed --check --random-inputs=1 | FileCheck %s --check-prefix=RIGHT
// RUN: mlgc grad %s --seed | mlgc eval - --random-inputs=1 --compare=cpp,torch | FileCheck %s --check-prefix=AGREES
// CHECK-LABEL: func @pool_grad.1.compute(
// CHECK: for [0, 6] (%[[C:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 6] ({{.*}}) attributes {schedule.serial = "iterations over
// CHECK: load %{{.*}}[%[[C]], %{{[0-9]+}}, %{{[0-9]+}}] {checked = true}
// CHECK: store %{{.*}}[%[[C]], %{{[0-9]+}}, %{{[0-9]+}}]
// RIGHT: all agree
// AGREES: d_x by cpp: agrees
// AGREES: d_x by torch: agrees
func @pool(%x: tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32> {
  %y, %places = max_pool2d %x {kernel_size = [2, 2], stride = [2, 2]}
  return %y
}
