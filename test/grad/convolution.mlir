// A convolution goes back to its operand as a convolution, over the cotangent spread where the stride skips, and to its
// weight as a product; reads outside are 0, and no sum has conditions. Groups go back as their formula derives.
// RUN: mlgc grad %s --function=strided --raw | FileCheck %s --check-prefix=STRIDED
// STRIDED: func @strided_grad
// STRIDED: [[SPREAD:%.*]] = compute {{.*}} {formula = "y[n, o, h, w] = select(h mod 2 == 0, x0[n, o, h floordiv 2, w], 0.0) over
// STRIDED: %d_x = compute [[SPREAD]], %w {formula = "y[n1, c, h1, w1] = sum[o1, p, q](x0[n1, o1, h1 - p + 1, w1 - 2*q]?0.0*x1[o1, c, p, q]) over
// STRIDED: [[SEEN:%.*]] = compute %x {formula = "y[n2, h2, w2, c1, p1, q1] = x0[n2, c1, 2*h2 + p1 - 1, 2*q1 + w2]?0.0 over
// STRIDED: %d_w = einsum {{.*}}, [[SEEN]]
// STRIDED: %d_b = sum
// Of many channels a padded copy has them side by side, and each tap has a product of its own.
// RUN: mlgc grad %s --function=channels --wrt=w --raw | FileCheck %s --check-prefix=CHANNELS
// CHANNELS: [[PADDED:%.*]] = compute %x {formula = "y[n2, h2, w2, c1] = x0[n2, c1, h2 - 1, w2]?0.0 over n2 < [B], h2 < 9, w2 < 6, c1 < 16"}
// CHANNELS: [[TAPS:%.*]] = compute %{{.*}}, [[PADDED]] {formula = "y[p1, q1, o2, c2] = sum[n3, h3, w3](x0[n3, o2, h3, w3]*x1[n3, 2*h3 + p1, q1 + w3, c2]) over
// CHANNELS: %d_w = permute [[TAPS]] {dims = [2, 3, 0, 1]}
// RUN: mlgc grad %s --function=channels --check --dim=B=2 --random-inputs=1 | FileCheck %s --check-prefix=CHECKED
// RUN: mlgc grad %s --function=channels | mlgc eval - --function=channels_grad --dim=B=2 --random-inputs=4 --compare=cpp,torch -O2 | FileCheck %s --check-prefix=AGREES
// RUN: mlgc grad %s --function=strided --check --dim=B=3 --random-inputs=1 | FileCheck %s --check-prefix=CHECKED
// RUN: mlgc grad %s --function=line --check --dim=B=2 --dim=L=5 --random-inputs=1 | FileCheck %s --check-prefix=CHECKED
// RUN: mlgc grad %s --function=grouped --check | FileCheck %s --check-prefix=CHECKED
// RUN: mlgc grad %s --function=solid --check | FileCheck %s --check-prefix=CHECKED
// CHECKED: all agree
// RUN: mlgc grad %s --function=strided | mlgc eval - --function=strided_grad --dim=B=2 --random-inputs=4 --compare=cpp,torch | FileCheck %s --check-prefix=AGREES
// RUN: mlgc grad %s --function=line | mlgc eval - --function=line_grad --dim=B=2 --dim=L=6 --random-inputs=4 --compare=cpp,torch | FileCheck %s --check-prefix=AGREES
// AGREES: d_x by cpp: agrees
// AGREES: d_w by cpp: agrees
// AGREES: d_x by torch: agrees
// AGREES: d_w by torch: agrees
func @strided(%x: tensor<[B]x3x9x8xf32>, %w: tensor<4x3x3x2xf32>, %b: tensor<4xf32>) -> tensor<f32> where 1 <= B {
  %y = conv2d %x, %w, %b {dilation = [1, 2], padding = [1, 0], stride = [2, 1]}
  %z = tanh %y
  %loss = sum %z {dim = [0, 1, 2, 3]}
  return %loss
}
func @line(%x: tensor<[B]x3x[L]xf32>, %w: tensor<4x3x3xf32>) -> tensor<f32> where 1 <= B, 4 <= L {
  %y = conv1d %x, %w {padding = [2]}
  %z = tanh %y
  %loss = sum %z {dim = [0, 1, 2]}
  return %loss
}
func @grouped(%x: tensor<2x4x5x5xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<f32> {
  %y = conv2d %x, %w {groups = 2, padding = [1, 1]}
  %z = tanh %y
  %loss = sum %z {dim = [0, 1, 2, 3]}
  return %loss
}
func @solid(%x: tensor<2x2x4x5x4xf32>, %w: tensor<3x2x2x3x2xf32>, %b: tensor<3xf32>) -> tensor<f32> {
  %y = conv3d %x, %w, %b {padding = [0, 1, 1], stride = [1, 2, 3]}
  %z = tanh %y
  %loss = sum %z {dim = [0, 1, 2, 3, 4]}
  return %loss
}
func @channels(%x: tensor<[B]x16x7x6xf32>, %w: tensor<5x16x3x2xf32>) -> tensor<f32> where 1 <= B {
  %y = conv2d %x, %w {padding = [1, 0], stride = [2, 1]}
  %z = tanh %y
  %loss = sum %z {dim = [0, 1, 2, 3]}
  return %loss
}
