// An op without the region that its row asks for; only the generic form can say that.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: region-number.mlir:[[#@LINE+2]]:3: error: `if` has at least 1 regions, not 0
func @f(%x: tensor<i1>) {
  "mlgc.if"(%x) : (tensor<i1>) -> ()
  return
}
