// Weights stay unless the option says otherwise.
// RUN: mlgc opt %s --dce | FileCheck %s --check-prefix=KEEP
// RUN: mlgc opt %s --dce=dead-symbols=true | FileCheck %s
// KEEP: weight @unused
// CHECK-NOT: weight @unused
// CHECK: weight @used
module {
  weight @unused : tensor<4xf32>
  weight @used : tensor<4xf32>
  func @f() -> tensor<4xf32> {
    %w = read @used
    return %w
  }
}
