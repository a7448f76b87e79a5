// The gradient of a view is the view back, also where its subscripts are quotients and remainders. Where dims cross, a
// sum is left.
//
// RUN: mlgc grad --function=merge --wrt=x %s | FileCheck %s --check-prefix=MERGE
// RUN: mlgc grad --function=split --wrt=x %s | FileCheck %s --check-prefix=SPLIT
// RUN: mlgc grad --function=rows --wrt=x %s | FileCheck %s --check-prefix=ROWS
// RUN: mlgc grad --function=crossed --wrt=x %s | FileCheck %s --check-prefix=CROSSED
// RUN: mlgc grad --function=merge --check --dim=B=2 --random-inputs=1 %s | FileCheck %s --check-prefix=CHECK
// RUN: mlgc grad --function=crossed --check --random-inputs=1 %s | FileCheck %s --check-prefix=CHECK

// MERGE: %d_x = view %{{.*}} {shape = [B, 3, 4, 64]} : tensor<[B]x3x4x64xf32>
func @merge(%x: tensor<[B]x3x4x64xf32>, %y: tensor<[B]x768xf32>) -> tensor<f32> where 1 <= B {
  %v = view %x {shape = [B, 768]}
  %p = mul %v, %y
  %loss = sum %p {dim = [0, 1]}
  return %loss
}

// SPLIT: %d_x = view %{{.*}} {shape = [12, 256]} : tensor<12x256xf32>
func @split(%x: tensor<12x256xf32>, %y: tensor<12x4x64xf32>) -> tensor<f32> {
  %v = view %x {shape = [12, 4, 64]}
  %p = mul %v, %y
  %loss = sum %p {dim = [0, 1, 2]}
  return %loss
}

// ROWS: %d_x = view %{{.*}} {shape = [B, S, 8]} : tensor<[B]x[S]x8xf32>
func @rows(%x: tensor<[B]x[S]x8xf32>, %y: tensor<[B*S]x8xf32>) -> tensor<f32> where 1 <= B, 1 <= S {
  %v = view %x {shape = [B*S, 8]}
  %p = mul %v, %y
  %loss = sum %p {dim = [0, 1]}
  return %loss
}

// CROSSED: %d_x = compute %{{.*}}sum[q |{{.*}} : tensor<6x4xf32>
func @crossed(%x: tensor<6x4xf32>, %y: tensor<8x3xf32>) -> tensor<f32> {
  %v = view %x {shape = [8, 3]}
  %p = mul %v, %y
  %loss = sum %p {dim = [0, 1]}
  return %loss
}

// CHECK: checked 4 adjoints and 2 gradients: all agree
