// Attributes and sizes that a formula would read past.
// RUN: mlgc opt %s --split-input-file --verify-diagnostics
func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{attribute `k` of `topk`: it must be between 0 and the size of the axis}}
  %v, %i = topk %x {k = 3}
  return
}
// -----
func @f(%x: tensor<1x4x3xf32>, %w: tensor<3x2x2xf32>) {
  // expected-error@+1 {{attribute `groups` of `conv1d`: it is not known to divide the 3 output channels}}
  %y = conv1d %x, %w {groups = 2}
  return
}
// -----
func @f(%x: tensor<1x4x3xf32>, %w: tensor<4x4x2xf32>) {
  // expected-error@+1 {{attribute `groups` of `conv1d`: the weight is for 8 input channels, there are 4}}
  %y = conv1d %x, %w {groups = 2}
  return
}
// -----
func @f(%x: tensor<1x[C]x3xf32>, %w: tensor<4x2x2xf32>) {
  // expected-error@+1 {{attribute `groups` of `conv_transpose1d`: it is not known to divide the C input channels}}
  %y = conv_transpose1d %x, %w {groups = 2}
  return
}
// -----
func @f(%x: tensor<1x4x3xf32>, %w: tensor<2x2x2xf32>) {
  // expected-error@+1 {{attribute `groups` of `conv_transpose1d`: the weight is for 2 input channels, there are 4}}
  %y = conv_transpose1d %x, %w {groups = 2}
  return
}
// -----
func @f(%x: tensor<1x4x3xf32>, %w: tensor<4x4x2xf32>) {
  // expected-error@+1 {{attribute `groups` of `conv1d`: it must be a positive constant}}
  %y = conv1d %x, %w {groups = 0}
  return
}
// -----
func @f(%x: tensor<2x3xf32>, %t: tensor<2xi64>) {
  // expected-error@+1 {{attribute `label_smoothing` of `cross_entropy`: it must be between 0 and 1}}
  %y = cross_entropy %x, %t {label_smoothing = -1.0}
  return
}
// -----
func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{`shifts` has 1 entries, expected 0}}
  %y = roll %x {shifts = [1], dims = []}
  return
}
// -----
func @f(%key: tensor<[B]xi64>) {
  // expected-error@+1 {{operand `key` of `uniform` is of sizes [B], expected two integers, a seed and an offset}}
  %y = uniform %key {size = [3]}
  return
}
