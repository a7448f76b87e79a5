// Which values have a gradient, by which ops; which have none, and why; the rules of ops; what is saved.
// RUN: mlgc explain gradients %s | FileCheck %s --match-full-lines
// RUN: mlgc explain gradients %s --wrt=@scale --format=json | FileCheck %s --check-prefix=JSON
// RUN: mlgc explain gradients %samples/while_newton.mlir | FileCheck %s --check-prefix=LOOP --match-full-lines
// RUN: mlgc explain gradients %samples/straight_through.mlir | FileCheck %s --check-prefix=STATED
// RUN: %exits 2 mlgc explain gradients %s --wrt=@scala 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 2 mlgc explain gradients %s --of=k 2>&1 | FileCheck %s --check-prefix=RESULT
// CHECK: @f: gradients of l
// CHECK-NEXT:   x        gradient  2 ops  mul, sum
// CHECK-NEXT:                             not through gt, {{.*}}: what it computes is not a float
// CHECK-NEXT:   t        zero             ends at gt, {{.*}}: what it computes is not a float
// CHECK-NEXT:   @w       gradient  6 ops  matmul, relu, mul, where, mul, sum
// CHECK-NEXT:   @unused  zero             no result depends on it
// CHECK-NEXT:   @scale   zero             ends at detach, {{.*}}: its formula has no slope by %k, or holds it (stop)
// CHECK-NEXT:   @table   gradient  7 ops  embedding, matmul, relu, mul, where, mul, …
// CHECK-NEXT: rules:
// CHECK-NEXT:   detach     1 op   derived from its formula
// CHECK: saved for backward: 2 values, 56 bytes
// CHECK-NEXT:   %e  embedding  32  {{.*}}
// CHECK-NEXT:   %h  matmul     24  {{.*}}
// JSON: "value": "@scale",
// JSON-NEXT: "gradient": false,
// JSON: "reason": "its formula has no slope
// LOOP: a  gradient  1 op  scan
// LOOP: while  1 op  its regions are differentiated
// STATED: call      1 op  stated by a function
// NONE: note: did you mean `@scale`?
// RESULT: error: --of=k: `@f` has no result of that name
weight @w : tensor<4x3xf32>
weight @unused : tensor<3xf32>
weight @scale : tensor<3xf32>
weight @table : tensor<10x4xf32>
func @f(%i: tensor<2xi64>, %x: tensor<2x3xf32>, %t: tensor<2x3xf32>) -> tensor<f32> {
  %w = read @w
  %u = read @unused
  %k = read @scale
  %tab = read @table
  %e = embedding %tab, %i
  %h = matmul %e, %w
  %r = relu %h
  %d = detach %k
  %m = mul %r, %d
  %g = gt %x, %t
  %zero = constant {value = dense<0.0> : tensor<2x3xf32>}
  %sel = where %g, %m, %zero
  %y = mul %sel, %x
  %l = sum %y {dim = [0, 1]}
  return %l
}
