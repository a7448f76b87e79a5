// A buffer and a view of it that sink to the same loop, past a view that does not, keep their order.
// RUN: mlgc opt %s -O2 --to=plan | FileCheck %s
// CHECK-LABEL: func @f(
// CHECK: %[[STACKED:.*]] = alloc : buffer<3x2x2xf16, arena>
// CHECK-NEXT: %[[FLAT:.*]] = buffer_view %[[STACKED]] : buffer<3x4xf16, arena>
// CHECK-NEXT: for [0, 3]
func @f(%x: tensor<4xf16>, %steps: tensor<3x[A]xi64>) -> (tensor<2x2xf16>, tensor<3x2x2xi1>) {
  %pairs = unfold %x {dimension = 0, size = 2, step = 2} : tensor<2x2xf16>
  %last, %all = scan %pairs, %steps (%carried: tensor<2x2xf16>, %step: tensor<[A]xi64>) attributes {carried = 1} {
    yield %pairs, %pairs
  } : tensor<2x2xf16>, tensor<3x2x2xf16>
  %differ = ne %all, %all : tensor<3x2x2xi1>
  return %last, %differ
}
