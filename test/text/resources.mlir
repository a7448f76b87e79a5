// Bytes of a metadata section become constants.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// RUN: mlgc opt %s --form=generic | FileCheck %s --check-prefix=GENERIC
// RUN: mlgc opt %s --form=generic | mlgc opt | diff %t.1.mlir -
// RUN: mlgc fmt %s | mlgc opt | diff %t.1.mlir -
// RUN: mlgc opt %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WARNING

// CHECK-LABEL: func @generic
// CHECK: constant {value = dense<[1.0, 2.0]> : tensor<2xf32>}
// CHECK: constant {value = dense<[true, false, true]> : tensor<3xi1>}
// CHECK: a.bits = dense<[true, false, true]> : tensor<3xi1>
// CHECK-SAME: a.narrow = #mlgc.mlir<"dense<\"0x0102\"> : tensor<2xi4>">
// CHECK-SAME: a.none = dense<> : tensor<0xf32>
// CHECK-SAME: a.other = #mlgc.mlir<"dense_resource<elsewhere> : tensor<2xf32>">
// CHECK-SAME: a.same = dense<[1.0, 2.0]> : tensor<2xf32>
// GENERIC: value = dense<[1.0, 2.0]> : tensor<2xf32>
// GENERIC: a.bits = dense<[true, false, true]> : tensor<3xi1>
// GENERIC-SAME: a.narrow = dense<"0x0102"> : tensor<2xi4>
// GENERIC-SAME: a.other = dense_resource<elsewhere> : tensor<2xf32>
"func.func"() <{function_type = () -> (tensor<2xf32>, tensor<3xi1>), sym_name = "generic"}> ({
  %0 = "mlgc.constant"() <{value = dense_resource<floats> : tensor<2xf32>}> : () -> tensor<2xf32>
  %1 = "mlgc.constant"() <{value = dense_resource<bits.of> : tensor<3xi1>}> : () -> tensor<3xi1>
  "func.return"(%0, %1) {a.same = dense_resource<floats> : tensor<2xf32>, a.bits = dense_resource<bits.of> : tensor<3xi1>,
                         a.narrow = dense_resource<two> : tensor<2xi4>, a.none = dense_resource<nothing> : tensor<0xf32>,
                         a.other = dense_resource<elsewhere> : tensor<2xf32>} : (tensor<2xf32>, tensor<3xi1>) -> ()
}) : () -> ()

// CHECK-LABEL: func @pretty
// CHECK: dense<[1.0, 2.0]> : tensor<2xf32>
func @pretty() -> tensor<2xf32> {
  %0 = constant {value = dense_resource<floats> : tensor<2xf32>}
  return %0
}

{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F00000040",
      bits.of: "0x01000000010001",
      two: "0x010000000102",
      nothing: "0x"
    }
  }
#-}

// WARNING: resources.mlir:[[#@LINE + 2]]:24: warning: `dialect_resources` of `foreign` are not kept
{-#
  dialect_resources: { foreign: { a: "0x04000000" } },
  // WARNING: resources.mlir:[[#@LINE + 1]]:25: warning: `external_resources` of `mlir_reproducer` are not kept
  external_resources: { mlir_reproducer: { verify_each: true, threads: 4 } }
#-}
