// Batch norms go into the weights of what stands before them; what is made of weights is computed in f64, and
// derive-weights moves it out of the function.
// RUN: mlgc opt %s --rules=fold-batch-norm --statistics 2>&1 | FileCheck %s --check-prefix=RULES
// RUN: mlgc opt %s --rules=fold-batch-norm --derive-weights --dce | FileCheck %s
// RULES-DAG: rule fold-batch-norm-bias: 1
// RULES-DAG: rule fold-batch-norm: 1
// RULES-DAG: rule fold-batch-norm-plain: 1
// CHECK: weight @gamma.mul : tensor<4xf64> = {
// CHECK: add {{.*}} {other = 0.001}
// CHECK-NEXT: rsqrt
// CHECK: weight @w.mul : tensor<4x3x3x3xf32> = {
// CHECK: mul {{.*}} : tensor<4x3x3x3xf64>
// CHECK-NEXT: cast {{.*}} {dtype = f32}
// CHECK-LABEL: func @with_bias
// CHECK-NOT: batch_norm
// CHECK: conv2d %x, {{%.*}}, {{%.*}} {padding = [1, 1]}
// CHECK-NEXT: return
// CHECK-LABEL: func @without_bias
// CHECK-NOT: batch_norm
// CHECK: linear %x, {{%.*}}, {{%.*}} : tensor<[B]x4xf32>
// CHECK-NEXT: return
// CHECK-LABEL: func @plain
// CHECK-NOT: batch_norm
// CHECK: conv1d
// CHECK-LABEL: func @read_twice
// CHECK: conv1d
// CHECK: batch_norm
module {
  weight @w : tensor<4x3x3x3xf32>
  weight @l : tensor<4x5xf32>
  weight @c : tensor<4x2x3xf32>
  weight @b : tensor<4xf32>
  weight @mean : tensor<4xf32>
  weight @var : tensor<4xf32>
  weight @gamma : tensor<4xf32>
  weight @beta : tensor<4xf32>
  func @with_bias(%x: tensor<[B]x3x8x8xf32>) -> tensor<[B]x4x8x8xf32> {
    %w = read @w
    %b = read @b
    %m = read @mean
    %v = read @var
    %g = read @gamma
    %h = read @beta
    %y = conv2d %x, %w, %b {padding = [1, 1]}
    %n = batch_norm %y, %m, %v, %g, %h {eps = 1.0e-3}
    return %n
  }
  func @without_bias(%x: tensor<[B]x5xf32>) -> tensor<[B]x4xf32> {
    %w = read @l
    %m = read @mean
    %v = read @var
    %g = read @gamma
    %h = read @beta
    %y = linear %x, %w
    %n = batch_norm %y, %m, %v, %g, %h
    return %n
  }
  func @plain(%x: tensor<[B]x2x9xf32>) -> tensor<[B]x4x7xf32> {
    %w = read @c
    %m = read @mean
    %v = read @var
    %y = conv1d %x, %w
    %n = batch_norm %y, %m, %v
    return %n
  }
  // The convolution is a result too: it would have to be computed twice.
  func @read_twice(%x: tensor<[B]x2x9xf32>) -> (tensor<[B]x4x7xf32>, tensor<[B]x4x7xf32>) {
    %w = read @c
    %m = read @mean
    %v = read @var
    %y = conv1d %x, %w
    %n = batch_norm %y, %m, %v
    return %y, %n
  }
}
