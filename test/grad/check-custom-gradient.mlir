// A stated gradient is one adjoint: it is held against differences of the function that states it, and blamed by name.
// What is said to be a surrogate is not compared, nor is a gradient that goes through it.
// RUN: mlgc grad %s --check --function=good | FileCheck %s --check-prefix=GOOD
// GOOD: mul {{.*}} by a
// GOOD: @square 1     1         1        0         0         0  {{[0-9.e-]+}} by x (%h, {{.*}}check-custom-gradient.mlir:[[#@LINE+51]]:10)
// GOOD: gradient  error of the derived function
// GOOD: x         {{[0-9.e-]+$}}
// GOOD: checked 4 adjoints and 2 gradients: all agree
// RUN: mlgc grad %s --check --function=square --seed | FileCheck %s --check-prefix=ITSELF
// ITSELF: @square 1     1         1
// ITSELF: checked 1 adjoint and 1 gradient: all agree

// RUN: %exits 4 mlgc grad %s --check --function=bad 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: @cube {{.*}} WRONG {{.*}} by x
// BAD: x         WRONG
// BAD: checked 2 adjoints and 1 gradient: 1 adjoint and 1 gradient wrong
// BAD: check-custom-gradient.mlir:[[#@LINE+43]]:3: error: the gradient of `@bad` with respect to x is wrong: {{[^ ]+}} along a direction in which differences give {{[^ ]+}}, off by {{[^ ]+}} at most
// BAD: check-custom-gradient.mlir:[[#@LINE+43]]:10: error: the gradient `@cube_back` of `@cube` is wrong for `x`: {{[^ ]+}} along a direction in which differences of `@cube` give {{[^ ]+}}, off by {{[^ ]+}} at most
// BAD: note: fix `@cube_back`; if it is meant to be another gradient, say so: `attributes {surrogate = true}` on `@cube`

// RUN: mlgc grad %s --check --function=rounded | FileCheck %s --check-prefix=SURROGATE
// SURROGATE-NOT: @ste
// SURROGATE: x         left out: it goes through `@ste`, which states a surrogate gradient
// SURROGATE: b         {{[0-9.e-]+$}}
// SURROGATE: checked 3 adjoints and 1 gradient: all agree
module {
  func @square_back(%x: tensor<[N]xf32>, %g: tensor<[N]xf32>) -> tensor<[N]xf32> {
    %a = mul %x, %g
    %d = mul %a {other = 2.0}
    return %d
  }
  func @square(%x: tensor<[N]xf32>) -> tensor<[N]xf32> gradient @square_back {
    %y = mul %x, %x
    return %y
  }
  func @cube_back(%x: tensor<[N]xf32>, %g: tensor<[N]xf32>) -> tensor<[N]xf32> {
    %a = mul %x, %x
    %b = mul %a, %g
    %d = mul %b {other = 2.0}
    return %d
  }
  func @cube(%x: tensor<[N]xf32>) -> tensor<[N]xf32> gradient @cube_back {
    %a = mul %x, %x
    %y = mul %a, %x
    return %y
  }
  func @ste_back(%x: tensor<[N]xf32>, %g: tensor<[N]xf32>) -> tensor<[N]xf32> {
    return %g
  }
  func @ste(%x: tensor<[N]xf32>) -> tensor<[N]xf32> gradient @ste_back attributes {surrogate = true} {
    %y = round %x
    return %y
  }
  func @good(%x: tensor<[B]xf32>, %w: tensor<[B]xf32>) -> tensor<f32> {
    %h = mul %x, %w
    %q = call @square, %h
    %loss = sum %q
    return %loss
  }
  func @bad(%x: tensor<[B]xf32>) -> tensor<f32> {
    %q = call @cube, %x
    %loss = sum %q
    return %loss
  }
  func @rounded(%x: tensor<[B]xf32>, %b: tensor<[B]xf32>) -> tensor<f32> {
    %q = call @ste, %x
    %p = add %q, %b
    %loss = sum %p
    return %loss
  }
}
