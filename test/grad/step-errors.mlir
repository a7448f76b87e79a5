// Losses and training steps that cannot be had.
// RUN: %exits 2 mlgc grad %s --loss=hinge 2>&1 | FileCheck %s --check-prefix=LOSS
// LOSS: error: there is no loss `hinge`
// LOSS-NEXT: note: known names: binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, huber, kl_div, l1, mse, nll, smooth_l1
// RUN: %exits 2 mlgc grad %s --loss=mseloss 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: there is no loss `mseloss`
// NEAR-NEXT: note: did you mean `mse_loss`?
// NEAR-NEXT: note: known names: binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, huber, kl_div, l1, mse, nll, smooth_l1
// RUN: not mlgc grad %s --step=lion 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: --step: `lion` is none of sgd|adam|adamw
// RUN: not mlgc opt %s --attach-loss=loss=hinge 2>&1 | FileCheck %s --check-prefix=PASS-LOSS
// PASS-LOSS: error: there is no loss `hinge`
// RUN: not mlgc opt %s --training-step=optimiser=lion 2>&1 | FileCheck %s --check-prefix=PASS-STEP
// PASS-STEP: error: option `optimiser` of pass `training-step`: there is no optimiser `lion`; known are sgd, adam, adamw
// RUN: not mlgc opt %s --training-step 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: option `function` of pass `training-step`: there are several functions, and one is made into a step
// RUN: %exits 2 mlgc grad %s --function=f --step=sgd --mode=split 2>&1 | FileCheck %s --check-prefix=SPLIT-STEP
// SPLIT-STEP: error: --mode=split with --step: a training step is one function, which uses its gradients up itself
// SPLIT-STEP: note: leave --mode out; or leave --step out, and update the weights by the derivatives that come back
// RUN: %exits 2 mlgc grad %s --function=f --step=sgd --mode=jvp 2>&1 | FileCheck %s --check-prefix=JVP-STEP
// JVP-STEP: error: --mode=jvp with --step: a training step is one function, which uses its gradients up itself
// RUN: not mlgc grad %s --lr=1 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --lr requires --step
// RUN: not mlgc grad %s --function=f --step=adam --momentum=0.9 --beta1=1 --lr=fast 2>&1 | FileCheck %s --check-prefix=SETTINGS
// SETTINGS: error: option `lr` of pass `training-step`: `fast` is not a number of at least 0, nor `argument`
// SETTINGS: error: option `momentum` of pass `training-step`: adam has none
// SETTINGS: error: option `beta1` of pass `training-step`: `1` is not a number from 0 to below 1
// RUN: not mlgc grad %s --function=number --loss=cross_entropy 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: cross_entropy cannot be taken of result `y`, which is tensor<f32>: it has no axis of classes
// RANK: note: take it of another result, with --of
// RUN: not mlgc grad %s --function=number --loss=nll_loss 2>&1 | FileCheck %s --check-prefix=CLASSES
// CLASSES: error: nll cannot be taken of result `y`, which is tensor<f32>: it has no axis of classes
// RUN: not mlgc grad %s --function=number --of=loss --loss=mse 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --of=loss: `@number` has no result of that name
// RUN: not mlgc grad %s --function=there --of=y --loss=mse 2>&1 | FileCheck %s --check-prefix=THERE
// THERE: error: `@there` has a result `loss` already
// THERE: note: leave --loss out, and take the result with --of=loss
// RUN: not mlgc grad %s --function=f --step=sgd 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: result `y` is tensor<4xf32>, and a training step follows a scalar loss
// SCALAR: note: attach a loss with --loss, or name a scalar result with --of
// RUN: not mlgc grad %s --function=number --step=sgd 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: `@number` reads no float weight, so there is nothing to train
// NOTHING: note: name what a step changes with --wrt: weights, or states that the function does not update
// RUN: not mlgc grad %s --function=f --loss=mse --step=sgd --wrt=x 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: --wrt=x is an argument, and a training step changes weights and states
// ARGUMENT: note: write weights and states with an `@`; without --step there are gradients of arguments too
// RUN: not mlgc grad %s --function=f --loss=mse --step=sgd --wrt=@v 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --wrt=@v: `@f_loss` has no argument, and its module no weight or state, of that name
// RUN: not mlgc grad %s --function=f --loss=mse --step=sgd --wrt=@mean 2>&1 | FileCheck %s --check-prefix=UPDATED
// UPDATED: error: --wrt=@mean: `@f_loss` updates it itself
// UPDATED: note: leave it out: it is still updated, as before
// RUN: not mlgc grad %s --function=derived --loss=mse --step=sgd --wrt=@u 2>&1 | FileCheck %s --check-prefix=DERIVED
// DERIVED: error: the derived weight `@twice` is computed once, and would not follow `@u` in training
// DERIVED: note: make the training step of the model as it was before `derive-weights` (-O2)
module {
  weight @w : tensor<4xf32>
  weight @u : tensor<4xf32>
  weight @twice : tensor<4xf32> = {
    %u = read @u
    %y = add %u, %u
    yield %y
  }
  state @mean : tensor<4xf32>
  func @f(%x: tensor<4xf32>) -> tensor<4xf32> updates (@mean = %next) {
    %w = read @w
    %mean = read @mean
    %y = mul %w, %x
    %next = lerp %mean, %y, %mean
    return %y, %next
  }
  func @derived(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w = read @twice
    %y = mul %w, %x
    return %y
  }
  func @number(%x: tensor<f32>) -> tensor<f32> {
    %y = exp %x
    return %y
  }
  func @there(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %y = exp %x
    %loss = neg %y
    return %y, %loss
  }
}
