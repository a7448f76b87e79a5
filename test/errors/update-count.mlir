// A new state must be returned for each update; the generic form states updates apart from the signature.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: update-count.mlir:[[#@LINE+3]]:3: error: `@f` updates 1 states but returns 0 values
state @s : tensor<4xf32>
"func.func"() <{sym_name = "f", function_type = () -> ()}> ({
  "func.return"() : () -> ()
}) {mlgc.updates = ["@s"]} : () -> ()
