// The metadata of a fused location is any attribute, and is printed back.
// RUN: mlgc opt %s --locations -o %t.1.mlir && mlgc opt --locations %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --locations --form=generic -o %t.2.mlir && mlgc opt --locations %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// CHECK-LABEL: func @f
// CHECK: relu %x {{.*}} loc(fused<"pass">["a", "b"])
// CHECK: relu %0 {{.*}} loc(fused<{k = 1 : i64, module = "m"}>["a"])
// CHECK: relu %1 {{.*}} loc(fused<[1.0 : f32, unit]>["f.py":1:2])
// CHECK: relu %2 {{.*}} loc(fused<#d.note<[1, 2]>>[unknown])
// CHECK: relu %3 {{.*}} loc(fused<{module = "m", target = "t"}>[fused<"pass">["a"]])
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relu %x loc(fused<"pass">["a", "b"])
  %1 = relu %0 loc(fused<{k = 1, module = "m"}>["a"])
  %2 = relu %1 loc(fused<[1.0 : f32, unit]>["f.py":1:2])
  %3 = relu %2 loc(fused<#note>[])
  %4 = relu %3 loc(fused<{target = "t", module = "m"}>[fused<"pass">["a"]])
  return %4
}
#note = #d.note<[1, 2]>
