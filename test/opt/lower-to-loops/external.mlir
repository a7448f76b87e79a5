// A segment becomes a function that its target computes: an `external` alone, on the buffers of what it is given and
// what it yields. What it yields and does not compute is the host function's; constants with unequal elements are weights;
// equal segments are one function. It reads back, and means the same.
// RUN: mlgc opt %s --pass-pipeline=lower-to-loops -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlgc opt %t.mlir | diff - %t.mlir
// RUN: mlgc opt %t.mlir --form=generic | mlgc opt - | diff - %t.mlir
// RUN: mlgc eval %s --dim=B=3 --random-inputs=1 --random-weights=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --dim=B=3 --random-inputs=1 --random-weights=1 --expect=@%t.npz
// RUN: mlgc opt %s --to=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlgc emit %s --random-weights=1 -o - | FileCheck %s --check-prefix=EMIT
// RUN: %exits 3 mlgc emit %s --target=cuda --random-weights=1 -o - 2>&1 | FileCheck %s --check-prefix=CUDA
weight @w : tensor<4x4xf32>

// CHECK: weight @f.constant0 : tensor<4xf32> = {
// CHECK: func @f.0.accel_linear_add_mul(%x: buffer<[B]x4xf32, argument>, %y: buffer<[B]x4xf32, argument>) {
// CHECK-NEXT: external %x, %y (%a: tensor<[B]x4xf32>) attributes {target = "accel"} {
// CHECK-NEXT: %w = read @w : tensor<4x4xf32>
// CHECK-NEXT: %c = read @f.constant0 : tensor<4xf32>
// CHECK: %{{.*}} = constant {value = dense<2.0> : tensor<f32>} : tensor<f32>
// CHECK: yield
// CHECK: return
// CHECK: func @f({{.*}}) attributes {results = 3} {
// CHECK: launch @f.0.accel_linear_add_mul, %x, %y
// CHECK: launch @f.0.accel_linear_add_mul, %y, %[[Z:.*]]
// PLAN: launch @f.0.accel_linear_add_mul, %x, %y
// EMIT: {"f.0.accel_linear_add_mul", {0, mlgc_program_{{[0-9]+}}}, {-1, nullptr}, 0, "", 2, 1, mlgc_operands_{{[0-9]+}}},
// EMIT: {"linear", "{{.*}}external.mlir:{{[0-9]+}}", 2, 1, 0, 0, mlgc_numbers_{{[0-9]+}}, mlgc_numbers_{{[0-9]+}}, nullptr, nullptr},
// EMIT: {"w", MLGC_F32, 2, mlgc_infos_{{[0-9]+}}, MLGC_VALUE_CONSTANT, -1, nullptr},
// EMIT: MLGC_VALUE_SPLAT, -1, mlgc_element_{{[0-9]+}}},
// EMIT: runtime->external(runtime, 0, buffers, sizes)
// CUDA: external.mlir:[[#@LINE+2]]:19: error: source cannot be emitted for a segment of an external target, which is called with memory of the CPU
func @f(%x: tensor<[B]x4xf32>) -> (tensor<[B]x4xf32>, tensor<[B]x4xf32>, tensor<4x4xf32>) {
  %y, %same, %v = segment (%a = %x) attributes {target = "accel"} {
    %w = read @w
    %c = constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %two = constant {value = dense<2.0> : tensor<f32>}
    %l = linear %a, %w
    %s = add %l, %c
    %m = mul %s, %two
    yield %m, %a, %w
  }
  %z = segment (%a = %y) attributes {target = "accel"} {
    %w = read @w
    %c = constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %two = constant {value = dense<2.0> : tensor<f32>}
    %l = linear %a, %w
    %s = add %l, %c
    %m = mul %s, %two
    yield %m
  }
  %sum = add %z, %same
  return %y, %sum, %v
}
