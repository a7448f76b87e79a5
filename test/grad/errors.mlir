// What is asked for in vain, and what has no gradient.
// RUN: not mlgc grad %s --function=two 2>&1 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: error: `@two` has 2 float results, so which one is differentiated must be said
// CHOOSE: note: name it with --of: a, b, n
// RUN: not mlgc grad %s --function=two --of=c 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: --of=c: `@two` has no result of that name
// RESULT: note: known names: a, b, n
// RUN: not mlgc grad %s --function=two --of=n 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: error: result `n` is tensor<i64>, and only floats have gradients
// INTEGER: note: differentiate another result, with --of
// RUN: not mlgc grad %s --function=two --of=b 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: error: result `b` is tensor<4xf32>, no scalar, so what its elements weigh must be said
// SEED: note: make a scalar of it (`sum`, `mean`, --loss), or give its cotangent as an argument, with --seed
// RUN: not mlgc grad %s --function=two --of=a --wrt=@x 2>&1 | FileCheck %s --check-prefix=WRT
// WRT: error: --wrt=@x: `@two` has no argument, and its module no weight or state, of that name
// WRT: note: arguments are written as they are, weights and states with an `@`
// RUN: not mlgc grad %s --function=two --of=a --wrt=k 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: --wrt=k is tensor<i64>, and only floats have gradients
// KIND: note: leave it out
// RUN: not mlgc grad %s --function=two --of=a --wrt=x,x 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --wrt names `x` twice
// TWICE: note: name it once
// RUN: not mlgc grad %s --function=two --mode=jvp --seed 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: mlgc: error: `--seed` and `--mode=jvp` exclude each other
// RUN: not mlgc grad %s --function=none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: `@none` has no float argument and reads no float weight
// NONE: note: there is nothing that a gradient could be taken with respect to
// RUN: not mlgc grad %s --function=calls 2>&1 | FileCheck %s --check-prefix=OP
// OP: error: `torch.call` has no gradient: there is no formula to differentiate
// OP: %a = torch.call
// OP: note: stop the gradient before it with `detach`, or differentiate with respect to values after it
// OP: error: `torch.call` has no gradient: there is no formula to differentiate
// OP: %b = torch.call
// RUN: not mlgc grad %s --function=index 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: the index of this `for` is read, so the loop has no gradient
// INDEX: note: write it as a `scan` over `arange`, whose slices are values
// RUN: not mlgc opt %s --grad=function=nobody 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: option `function` of pass `grad`: there is no function `@nobody`
// RUN: not mlgc opt %s --split-gradient=function=nobody 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: option `function` of pass `split-gradient`: there is no function `@nobody`
// RUN: not mlgc opt %s --split-gradient='function=two results=9' 2>&1 | FileCheck %s --check-prefix=RESULTS
// RESULTS: error: option `results` of pass `split-gradient`: `@two` has 3
// RUN: not mlgc opt %s --split-gradient='function=two cotangents=9' 2>&1 | FileCheck %s --check-prefix=COTANGENTS
// COTANGENTS: error: option `cotangents` of pass `split-gradient`: `@two` has 2 arguments
// RUN: not mlgc opt %s --split-gradient='function=two results=3 cotangents=2' 2>&1 | FileCheck %s --check-prefix=NEEDED
// NEEDED: error: option `cotangents` of pass `split-gradient`: what `@two` returns beside gradients needs an argument that counts as one
// RUN: not mlgc grad %s --function=computed --seed 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: result `y` is tensor<[u0]xf32>, whose size the call computes, so its cotangent cannot be an argument
// SIZE: note: make a scalar of it (`sum`, `mean`) and differentiate that
// RUN: %exits 3 mlgc grad %s --function=lengths --seed 2>&1 | FileCheck %s --check-prefix=LENGTHS
// LENGTHS: error: this `scan` has no gradient: the lengths `T` and `U` of its sequences are not known to be equal
// LENGTHS: note: let the function say `where T == U`
// RUN: mlgc grad %s --function=equal_lengths --seed | FileCheck %s --check-prefix=EQUAL
// EQUAL: func @equal_lengths_grad
// RUN: not mlgc grad %s --function=computed --loss=mse 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: mse cannot be taken of result `y`, which is tensor<[u0]xf32>: the call computes its size, and a target is there before the call
// TARGET: note: take it of another result, with --of
module {
  func @lengths(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>, %ys: tensor<[U]x4xf32>) -> tensor<4xf32> {
    %r = scan %h, %xs, %ys (%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 1} {
      %p = mul %x, %y
      %s = add %c, %p
      yield %s
    }
    return %r
  }
  func @equal_lengths(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>, %ys: tensor<[U]x4xf32>) -> tensor<4xf32> where T == U {
    %r = scan %h, %xs, %ys (%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 1} {
      %p = mul %x, %y
      %s = add %c, %p
      yield %s
    }
    return %r
  }
  func @computed(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<[u0]xf32> {
    %p = range %n : tensor<[u0]xi64> where u0 <= 4
    %y = index_select %x, %p {dim = 0} : tensor<[u0]xf32>
    return %y
  }
  func @two(%x: tensor<4xf32>, %k: tensor<i64>) -> (tensor<f32>, tensor<4xf32>, tensor<i64>) {
    %a = sum %x {dim = [0]}
    %b = exp %x
    %n = argmax %x {dim = 0}
    return %a, %b, %n
  }
  func @none(%k: tensor<i64>) -> tensor<f32> {
    %y = cast %k {dtype = f32}
    return %y
  }
  func @calls(%x: tensor<4xf32>) -> tensor<f32> {
    %a = torch.call %x {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<4xf32>
    %b = torch.call %a {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<4xf32>
    %y = sum %b {dim = [0]}
    return %y
  }
  func @index(%x: tensor<f32>) -> tensor<f32> {
    %y = for [0, 3] (%i: index, %p = %x) {
      %q = for [0, %i] (%j: index, %r = %p) {
        %s = mul %r, %r
        yield %s
      } : tensor<f32>
      yield %q
    } : tensor<f32>
    return %y
  }
}
