// A tangent that is zero is a warning, as a gradient is: of a result that nothing differentiable leads to, and of a value
// that nothing differentiable leads from; each says where the way ends.
// RUN: mlgc grad %s --mode=jvp --function=f 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// CHECK: %[[ZERO:.*]] = constant {value = dense<0.0> : tensor<f32>} : tensor<f32>
// CHECK: return %y, %z, %{{.*}}, %[[ZERO]]
// SAID: jvp-zero.mlir:[[#@LINE+29]]:1: warning: the tangent of z is zero: nothing differentiable leads there from x, s, unused
// SAID-NEXT: func @f
// SAID-NEXT: ^
// SAID-NEXT: jvp-zero.mlir:[[#@LINE+27]]:8: note: no gradient passes `argmax`
// SAID-NEXT: %i = argmax
// SAID-NEXT: ^
// SAID-NEXT: jvp-zero.mlir:[[#@LINE+23]]:1: warning: the gradient of y, z with respect to unused is zero: nothing differentiable leads there
// SAID-NEXT: func @f
// SAID-NEXT: ^
// SAID-NOT: warning
// Where no value leads anywhere, each is named, and the results are not named again.
// RUN: mlgc grad %s --mode=jvp --function=f --of=z 2>%t.err -o %t
// RUN: FileCheck %s --check-prefix=NOTHING < %t.err
// NOTHING-NOT: tangent of
// NOTHING: jvp-zero.mlir:[[#@LINE+15]]:1: warning: the gradient of z with respect to x is zero: nothing differentiable leads there
// NOTHING: note: no gradient passes `argmax`
// NOTHING: jvp-zero.mlir:[[#@LINE+13]]:1: warning: the gradient of z with respect to s is zero: nothing differentiable leads there
// NOTHING: jvp-zero.mlir:[[#@LINE+12]]:1: warning: the gradient of z with respect to unused is zero: nothing differentiable leads there
// NOTHING-NOT: warning
// What loops and branches carry counts, and a result that is a value itself.
// RUN: mlgc grad %s --mode=jvp --function=through 2>%t.err -o %t
// RUN: FileCheck %s --check-prefix=SILENT --allow-empty < %t.err
// SILENT-NOT: warning
// SILENT-NOT: error
// RUN: not mlgc grad %s --mode=jvp --function=whole 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not mlgc grad %s --function=whole 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: `@whole` has no float result, so there is nothing to differentiate
// WHOLE: note: only floats have derivatives: return the float that a result is made of, too

func @f(%x: tensor<4xf32>, %s: tensor<f32>, %unused: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %i = argmax %x {dim = 0}
  %z = cast %i {dtype = f32}
  %a = mul %z, %s
  %b = sum %x {dim = [0]}
  %y = add %a, %b
  return %y, %z
}
func @through(%x: tensor<f64>, %w: tensor<f64>, %c: tensor<i1>) -> (tensor<f64>, tensor<f64>) {
  %y = for [0, 3] (%i: index, %p = %x) {
    %q = if %c {
      %m = mul %p, %w
      yield %m
    } else {
      yield %p
    } : tensor<f64>
    yield %q
  } : tensor<f64>
  return %y, %x
}
func @whole(%x: tensor<4xf32>) -> tensor<i64> {
  %n = argmax %x {dim = 0}
  return %n
}
