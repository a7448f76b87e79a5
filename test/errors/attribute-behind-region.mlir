// What is wrong with the attributes of a generic function is reported once, beside what is wrong in its body.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: :[[#@LINE+5]]:5: error: unknown op `nothing`
// CHECK: :[[#@LINE+5]]:21: error: expected `]` after a list, found `<=`
"builtin.module"() ({
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
^bb0:
    "mlgc.nothing"() : () -> ()
}) {mlgc.where = [4 <=]} : () -> ()
}) : () -> ()
