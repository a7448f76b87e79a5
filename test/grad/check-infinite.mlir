// Infinite values: what is infinite does not move, and a result that is infinite has no slope to be compared with.
// RUN: mlgc grad %s --check --function=causal --seed | FileCheck %s --check-prefix=CAUSAL
// CAUSAL: add         1     1         1        0         0         0  {{[0-9.e-]+}} by a
// CAUSAL: softmax     1     1         1        0         0         0  {{[0-9.e-]+}} by x
// CAUSAL: x         {{[0-9.e-]+$}}
// CAUSAL: checked 2 adjoints and 1 gradient: all agree

// RUN: mlgc grad %s --check --function=scores --seed | FileCheck %s --check-prefix=SCORES
// SCORES: x         {{[0-9.e-]+$}}
// SCORES: checked 1 adjoint and 1 gradient: all agree

// RUN: mlgc grad %s --check --function=masked --seed --random-inputs=1 --input=mask=[0,-inf,0,-inf] | FileCheck %s --check-prefix=MASKED
// MASKED: x         {{[0-9.e-]+$}}
// MASKED: mask      {{[0-9.e-]+$}}
// MASKED: checked 3 adjoints and 2 gradients: all agree

// A loss that is infinite.
// RUN: mlgc grad %s --check --function=infinite | FileCheck %s --check-prefix=LOSS
// LOSS: sum         1     1         1        0         1         0  -
// LOSS: x         left out: the result `loss` is not finite there
// LOSS: checked 1 adjoint and 0 gradients; 1 not differentiable here: all agree

// Beside infinite elements a wrong gradient is one all the same.
// RUN: %exits 4 mlgc grad %s --check --function=wrong --seed 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: check-infinite.mlir:[[#@LINE+38]]:10: error: the gradient `@cube_back` of `@cube` is wrong for `x`: {{[^ ]+}} along a direction in which differences of `@cube` give {{[^ ]+}}, off by {{[^ ]+}} at most
module {
  func @causal(%x: tensor<4xf64>) -> tensor<4xf64> {
    %m = constant {value = dense<[0.0, 0xFFF0000000000000, 0.0, 0xFFF0000000000000]> : tensor<4xf64>} : tensor<4xf64>
    %s = add %x, %m
    %y = softmax %s {dim = 0}
    return %y
  }
  func @scores(%x: tensor<4xf64>) -> tensor<4xf64> {
    %m = constant {value = dense<[0.0, 0xFFF0000000000000, 0.0, 0x7FF8000000000000]> : tensor<4xf64>} : tensor<4xf64>
    %s = add %x, %m
    return %s
  }
  func @masked(%x: tensor<4xf64>, %mask: tensor<4xf64>) -> tensor<4xf64> {
    %s = add %x, %mask
    %y = softmax %s {dim = 0}
    return %y
  }
  func @infinite(%x: tensor<4xf64>) -> tensor<f64> {
    %m = constant {value = dense<[0.0, 0xFFF0000000000000, 0.0, 0.0]> : tensor<4xf64>} : tensor<4xf64>
    %s = add %x, %m
    %loss = sum %s
    return %loss
  }
  func @cube_back(%x: tensor<4xf64>, %g: tensor<4xf64>) -> tensor<4xf64> {
    %a = mul %x, %x
    %b = mul %a, %g
    %d = mul %b {other = 2.0}
    return %d
  }
  func @cube(%x: tensor<4xf64>) -> tensor<4xf64> gradient @cube_back {
    %m = constant {value = dense<[0.0, 0xFFF0000000000000, 0.0, 0xFFF0000000000000]> : tensor<4xf64>} : tensor<4xf64>
    %a = mul %x, %x
    %b = mul %a, %x
    %y = add %b, %m
    return %y
  }
  func @wrong(%x: tensor<4xf64>) -> tensor<4xf64> {
    %y = call @cube, %x
    %z = softmax %y {dim = 0}
    return %z
  }
}
