// `--check` takes results as `grad` does, also by number; and it judges the function alone, without a loss or a step.
// RUN: mlgc grad %s --check --of=result1 --wrt=x --random-inputs=1 | FileCheck %s
// CHECK: checked {{[0-9]+}} adjoints and 1 gradient: all agree
// RUN: not mlgc grad %s --check --step=sgd 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: --step excludes --check
// RUN: not mlgc grad %s --check --loss=mse 2>&1 | FileCheck %s --check-prefix=LOSS
// LOSS: error: --loss excludes --check
func @two(%x: tensor<3xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = sum %x {dim = [0]}
  %s = mul %x, %x
  %b = sum %s {dim = [0]}
  return %a, %b
}
