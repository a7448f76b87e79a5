// Constants, splats and special values.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK: dense<[1.5, nan]> : tensor<2xf32>
// CHECK: dense<7> : tensor<3xi64>
// CHECK: dense<1.0> : tensor<f32>
func @f() -> (tensor<2xf32>, tensor<3xi64>, tensor<f32>) {
  %a = constant {value = dense<[1.5, 0x7FC00000]> : tensor<2xf32>}
  %b = constant {value = dense<7> : tensor<3xi64>}
  %c = constant {value = dense<1.0> : tensor<f32>}
  return %a, %b, %c
}
