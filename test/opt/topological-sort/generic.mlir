// The generic form may stand in any order too.
// RUN: mlgc opt %s --topological-sort | FileCheck %s
// RUN: mlgc opt %s --topological-sort --form=generic | mlgc opt - | FileCheck %s
// CHECK:      %0 = relu %x : tensor<4xf32>
// CHECK-NEXT: %1 = neg %0 : tensor<4xf32>
// CHECK-NEXT: %2 = add %1, %0 : tensor<4xf32>
// CHECK-NEXT: return %2
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f"}> ({
  ^bb0(%x: tensor<4xf32>):
    %0 = "mlgc.add"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "mlgc.neg"(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "mlgc.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
