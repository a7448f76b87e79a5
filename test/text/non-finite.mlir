// Infinities and `nan` are words of the pretty form, wherever a float stands; the generic form and other NaNs have bits.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// RUN: FileCheck %s --check-prefix=GENERIC < %t.2.mlir
// RUN: mlgc fmt %s | mlgc opt | diff %t.1.mlir -
// RUN: not mlgc opt %S/Inputs/non-finite-errors.mlir 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK-LABEL: func @f
// GENERIC-LABEL: sym_name = "f"
func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf16>, tensor<3xbf16>, tensor<f64>, tensor<2xf32>) {
  // CHECK: dense<[inf, nan]> : tensor<2xf32>
  // GENERIC: dense<[0x7F800000, 0x7FC00000]> : tensor<2xf32>
  %a = constant {value = dense<[0x7F800000, 0x7FC00000]> : tensor<2xf32>}
  // CHECK: dense<{{\[}}[inf, -inf], [nan, 0xFE00]]> : tensor<2x2xf16>
  // GENERIC: dense<{{\[}}[0x7C00, 0xFC00], [0x7E00, 0xFE00]]> : tensor<2x2xf16>
  %b = constant {value = dense<[[inf, -inf], [nan, 0xFE00]]> : tensor<2x2xf16>}
  // CHECK: dense<-inf> : tensor<3xbf16>
  // GENERIC: dense<0xFF80> : tensor<3xbf16>
  %c = constant {value = dense<-inf> : tensor<3xbf16>}
  // CHECK: dense<0x7FF8000000000001> : tensor<f64>
  %d = constant {value = dense<0x7FF8000000000001> : tensor<f64>}
  // CHECK: clamp %x {max = inf, min = -inf}
  // GENERIC: max = 0x7FF0000000000000 : f64, min = 0xFFF0000000000000 : f64
  %e = clamp %x {max = inf, min = -inf}
  return %a, %b, %c, %d, %e
}

// Attributes whose kinds no row knows.
// CHECK-LABEL: func @attributes
// CHECK-DAG: t.half = -inf : f16
// CHECK-DAG: t.list = [inf, 1.5, nan]
// CHECK-DAG: t.mixed = [inf, 1]
// CHECK-DAG: t.nan = nan
// CHECK-DAG: t.other = 0x7FF8000000000001 : f64
// CHECK-DAG: t.single = inf : f32
// CHECK-DAG: t.typed = [-inf, 0.5]
// GENERIC: t.half = 0xFC00 : f16
// GENERIC-SAME: t.list = array<f64: 0x7FF0000000000000, 1.5, 0x7FF8000000000000>
// GENERIC-SAME: t.single = 0x7F800000 : f32
func @attributes() attributes {t.list = [inf, 1.5, nan], t.mixed = [inf, 1], t.nan = nan, t.other = 0x7FF8000000000001 : f64,
                               t.single = inf : f32, t.half = -inf : f16, t.typed = array<f64: -inf, 0.5>} {
  return
}

// A size that is not told splits a splat.
// CHECK-LABEL: func @splat
// CHECK: dense<-inf> : tensor<[B]xf32>
// GENERIC: #mlgc.splat<"dense<0xFF800000> : tensor<[B]xf32>">
func @splat(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %0 = constant {value = dense<-inf> : tensor<[B]xf32>}
  return %0
}

// ERROR: non-finite-errors.mlir:2:32: error: `i64` does not fit a literal that is a float
// ERROR: non-finite-errors.mlir:5:30: error: expected `inf` or a number, found `nan`
// ERROR: non-finite-errors.mlir:8:29: error: `i32` does not fit a literal that is a float
// ERROR: non-finite-errors.mlir:11:21: error: `inf` is a reserved word and cannot name a size
