// A call of a function that states its gradient goes back by a call of that: what the body derives is not asked.
// RUN: mlgc grad %s --raw --wrt=x | FileCheck %s --check-prefix=RAW
// RAW: func @main_grad(
// RAW: %h = mul %x, %w
// RAW-NEXT: %y, %n = call @ste, %h, %k : tensor<[B]xf32>, tensor<i64>
// RAW: %[[D:.*]] = call @ste_back, %h, %k, %{{.*}} : tensor<[B]xf32>
// RAW-NEXT: %d_x = mul %[[D]], %w : tensor<[B]xf32>

// Tidied up, the gradient is inlined. The call stays, so that a second gradient meets it again.
// RUN: mlgc grad %s --wrt=x -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: func @ste(%x: tensor<[N]xf32>, %n: tensor<i64>) -> (tensor<[N]xf32>, tensor<i64>) gradient @ste_back
// CHECK: func @main_grad(
// CHECK: call @ste,
// CHECK: %inside = le
// CHECK-NOT: call @ste_back
// RUN: mlgc eval %t.mlir --function=main_grad --input=x=3xf32=0.7,-0.4,3 --input=w=3xf32=1,2,2 --input=k=1 | FileCheck %s --check-prefix=VALUES
// VALUES: loss
// VALUES-NEXT: 38
// VALUES: d_x: 3xf32
// VALUES-NEXT: [ 2.0, -4.0, 0.0]
// Behind -O2 nothing is called any more, and kernels compute the same.
// RUN: mlgc opt %t.mlir -O2 | FileCheck %s --check-prefix=O2 --implicit-check-not='call '
// O2: func @main_grad(
// RUN: mlgc eval %t.mlir --function=main_grad --input=x=3xf32=0.7,-0.4,3 --input=w=3xf32=1,2,2 --input=k=1 --compare=interp,cpp | FileCheck %s --check-prefix=CPP
// CPP: d_x by cpp: agrees

// The second derivative of sum(ste(x*w)^2) by x is 2*w*w inside, since the gradient of @ste is 1 there; by its body,
// which rounds, it would be 0.
// RUN: mlgc grad %t.mlir --function=main_grad --of=d_x --wrt=x --seed | mlgc eval - --input=x=3xf32=0.7,-0.4,3 --input=w=3xf32=1,2,2 --input=k=1 --input=g_d_x=3xf32=1,1,1 --function=main_grad_grad | FileCheck %s --check-prefix=SECOND
// SECOND: d_x_2: 3xf32
// SECOND-NEXT: [2.0, 8.0, 0.0]

// In both halves of a split, behind a loss, in a region, and where the function itself is asked for.
// RUN: mlgc grad %s --mode=split --wrt=x | FileCheck %s --check-prefix=SPLIT
// SPLIT: func @main_forward({{.*}} -> (tensor<f32>, tensor<i64>, tensor<[B]xf32>, tensor<[B]xf32>
// SPLIT: call @ste,
// SPLIT: func @main_backward(
// SPLIT-NOT: call
// RUN: mlgc grad %s --function=ste --loss=mse --wrt=x | FileCheck %s --check-prefix=LOSS
// LOSS: func @ste_grad(%x: tensor<[N]xf32>, %n: tensor<i64>, %target: tensor<[N]xf32>) -> (tensor<f32>, tensor<[N]xf32>, tensor<i64>, tensor<[N]xf32>)
// LOSS-SAME: result_names = ["loss", "y", "n", "d_x"]
// LOSS: call @ste,
// LOSS: %inside = le
// RUN: mlgc grad %s --function=branch --raw --seed | FileCheck %s --check-prefix=BRANCH
// BRANCH: func @branch_grad(
// BRANCH: if %c
// BRANCH: call @ste,
// BRANCH: call @ste_back,
// BRANCH: else
// RUN: mlgc grad %s --function=ste --seed --of=y | FileCheck %s --check-prefix=ITSELF
// ITSELF: func @ste_grad(%x: tensor<[N]xf32>, %n: tensor<i64>, %g_y: tensor<[N]xf32>)
// ITSELF-NEXT: %y, %{{.*}} = call @ste, %x, %n
// ITSELF: %d_x = where

// Forward mode has nothing to go by, at the call and for the function itself.
// RUN: %exits 3 mlgc grad %s --mode=jvp 2>&1 | FileCheck %s --check-prefix=JVP
// JVP: custom-gradient.mlir:[[#@LINE+18]]:14: error: `@ste` states the gradient `@ste_back`, which says nothing of tangents
// JVP: note: differentiate in reverse mode, or take `gradient @ste_back` away from `@ste`
// RUN: %exits 3 mlgc grad %s --function=ste --mode=jvp 2>&1 | FileCheck %s --check-prefix=JVP-ITSELF
// JVP-ITSELF: custom-gradient.mlir:[[#@LINE+9]]:3: error: `@ste` states the gradient `@ste_back`, which says nothing of tangents
module {
  func @ste_back(%x: tensor<[N]xf32>, %n: tensor<i64>, %g: tensor<[N]xf32>) -> tensor<[N]xf32> {
    %a = abs %x
    %inside = le %a {other = 1.0}
    %zero = mul %g {other = 0.0}
    %d = where %inside, %g, %zero
    return %d
  }
  func @ste(%x: tensor<[N]xf32>, %n: tensor<i64>) -> (tensor<[N]xf32>, tensor<i64>) gradient @ste_back attributes {surrogate = true} {
    %y = round %x
    return %y, %n
  }
  func @main(%x: tensor<[B]xf32>, %w: tensor<[B]xf32>, %k: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
    %h = mul %x, %w
    %y, %n = call @ste, %h, %k
    %p = mul %y, %y
    %loss = sum %p
    return %loss, %n
  }
  func @branch(%x: tensor<4xf32>, %c: tensor<i1>, %k: tensor<i64>) -> tensor<4xf32> {
    %r = if %c {
      %y, %n = call @ste, %x, %k
      yield %y
    } else {
      yield %x
    }
    return %r
  }
}
