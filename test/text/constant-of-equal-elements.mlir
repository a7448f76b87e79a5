// A constant of many equal elements is one element, whichever way they are written.
// RUN: mlgc opt %s | FileCheck %s
// CHECK-COUNT-2: constant {value = dense<1.5> : tensor<20xf32>} : tensor<20xf32>
func @f() {
  %bytes = constant {value = dense<"0x0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F"> : tensor<20xf32>}
  %listed = constant {value = dense<[1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]> : tensor<20xf32>}
  return %bytes, %listed
}
