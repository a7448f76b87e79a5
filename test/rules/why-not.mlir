// Why rules did not apply, where the output stands.
// RUN: mlgc opt %s --rules=fold-batch-norm --why-not=fold-batch-norm-bias@%n --why-not=fold-batch-norm-bias@%m --why-not=mul-zero-float@%z --why-not=sub-neg@%z -o /dev/null 2>&1 | FileCheck %s
// RUN: mlgc opt %s --canonicalize --why-not=mul-one@%z -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %exits 2 mlgc opt %s --why-not=mul-on@%z 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: %exits 2 mlgc opt %s --why-not=mul-one@%nowhere 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: %exits 2 mlgc opt %s --why-not=mul-one 2>&1 | FileCheck %s --check-prefix=QUESTION
// CHECK: why not fold-batch-norm-bias at %n ({{.*}}why-not.mlir:[[#@LINE+10]]:8): condition 1 of the rule (fold-batch-norm.rules:{{[0-9]+}}:{{[0-9]+}}) does not hold
// CHECK: why not fold-batch-norm-bias at %m ({{.*}}): operand 0 of %m is an argument, not defined by conv1d, conv2d, conv3d or linear
// CHECK: why not mul-zero-float at %z ({{.*}}): its class nan_or_inf is not admitted by --numerics=like-eager
// CHECK: why not sub-neg at %z ({{.*}}): %z is defined by mul, not by sub
// OTHER: why not mul-one at %z ({{.*}}): operand 1 of %z is not 1
// RULE: error: there is no rule `mul-on` in the built-in files, nor in one named by --rules
// VALUE: error: no op of the printed module has a result `%nowhere`
// QUESTION: error: `--why-not` takes RULE@%VALUE, not `mul-one`
func @f(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<4xf32>, %v: tensor<4xf32>, %u: tensor<8x4x2xf32>) -> (tensor<2x4x6xf32>, tensor<8x4x2xf32>, tensor<4xf32>) {
  %y = conv1d %x, %w, %b
  %n = batch_norm %y, %b, %v, %b, %b
  %m = batch_norm %u, %b, %v, %b, %b
  %z = mul %b {other = 0.0}
  return %n, %m, %z
}
