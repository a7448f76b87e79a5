// A kernel for each strategy of a CPU: the loop at which it was taken says so.
// RUN: mlgc opt %s --to=loops | FileCheck %s
//
// CHECK-LABEL: func @split_reduction.0.sum(
// CHECK: for [0, 7] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "split-reduction"} {
// CHECK: attributes {schedule.strategy = "reduction-lanes"} {
// CHECK-NEXT: literal
// CHECK-NEXT: attributes {combine = ["add"], kind = "vector", lanes = 64} {
// CHECK-LABEL: func @split_contraction.0.einsum(
// CHECK: for [0, 64] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "split-contraction"} {
// CHECK-LABEL: func @transpose_in_registers.0.transpose_exp(
// CHECK: for [0, {{.*}}] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "transpose-in-registers"} {
// CHECK-LABEL: func @outer_loop.0.conv2d(
// CHECK: attributes {schedule.strategy = "outer-product-tiles-of-outer-loop"} {
// CHECK-LABEL: func @outer_product.0.matmul(
// CHECK: for [0, 64] (%{{.*}}: index, {{.*}}) attributes {schedule.strategy = "outer-product-tiles"} {
// CHECK-LABEL: func @dot_product.0.linear(
// CHECK: attributes {combine = [{{.*}}], kind = "vector", lanes = 16, schedule.strategy = "dot-product-tiles"} {
// CHECK-LABEL: func @two_sums.1.einsum_einsum_add_add.relaid(
// CHECK: attributes {schedule.strategy = "outer-product-tiles"} {
// CHECK: attributes {schedule.strategy = "dot-product-per-lane"} {
// CHECK-LABEL: func @blocked_columns.0.sum(
// CHECK: for [0, 8] (%{{.*}}_t: index) attributes {kind = "parallel", schedule.strategy = "blocked-column-reduction"} {
// CHECK-LABEL: func @product_columns.0.einsum(
// CHECK: for [0, 4] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "lanes-over-product-columns"} {
// CHECK-LABEL: func @columns.0.sum(
// CHECK: for [0, 4] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "lanes-over-columns"} {
// CHECK-LABEL: func @elements.0.exp(
// CHECK: for [0, B ceildiv 1024] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "elementwise-lanes"} {
// CHECK-LABEL: func @rows.0.sum(
// CHECK: for [0, 100] (%{{.*}}: index, {{.*}}) attributes {combine = ["add", "add", "add", "add"], kind = "vector", lanes = 16, schedule.strategy = "reduction-lanes"} {
// CHECK-LABEL: func @windows.0.max_pool2d(
// CHECK: attributes {kind = "parallel", schedule.strategy = "window-lanes"} {
// CHECK-LABEL: func @argument.0.argmax(
// CHECK: schedule.strategy = "extremum-then-position"} {
func @split_reduction(%x: tensor<1000x100xf32>) -> tensor<f32> {
  %y = sum %x {dim = [0, 1]}
  return %y
}
func @split_contraction(%g: tensor<64x16x28x28xf32>, %x: tensor<64x72x28x28xf32>) -> tensor<16x72xf32> {
  %y = einsum %g, %x {equation = "nohw,nchw->oc"}
  return %y
}
func @transpose_in_registers(%x: tensor<[B]x100xf32>) -> tensor<100x[B]xf32> {
  %t = transpose %x {dim0 = 0, dim1 = 1}
  %y = exp %t
  return %y
}
func @outer_loop(%x: tensor<1x8x15x15xf32>, %w: tensor<32x8x7x7xf32>) -> tensor<1x32x3x3xf32> {
  %y = conv2d %x, %w {stride = [3, 3]}
  return %y
}
func @outer_product(%x: tensor<[B]x64xf32>, %w: tensor<64x128xf32>) -> tensor<[B]x128xf32> {
  %y = matmul %x, %w
  return %y
}
func @dot_product(%x: tensor<8x256xf32>, %w: tensor<40x256xf32>) -> tensor<8x40xf32> {
  %y = linear %x, %w
  return %y
}
func @two_sums(%z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = constant {value = dense<0.00390625> : tensor<16x16xf32>}
  %v = matmul %z, %z
  %1 = einsum %0, %v {equation = "ab,cb->ac"}
  %2 = einsum %0, %v {equation = "ab,ac->cb"}
  %3 = add %1, %0
  %d = add %3, %2
  return %d
}
func @blocked_columns(%x: tensor<1000x300xf32>) -> tensor<300xf32> {
  %y = sum %x {dim = [0]}
  return %y
}
func @product_columns(%x: tensor<100xf32>, %w: tensor<100x256xf32>) -> tensor<256xf32> {
  %y = einsum %x, %w {equation = "k,kn->n"}
  return %y
}
func @columns(%x: tensor<10x256xf32>) -> tensor<256xf32> {
  %y = sum %x {dim = [0]}
  return %y
}
func @elements(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %y = exp %x
  return %y
}
func @rows(%x: tensor<[B]x100xf32>) -> tensor<[B]xf32> {
  %y = sum %x {dim = [1]}
  return %y
}
func @windows(%x: tensor<4x8x30x30xf32>) -> tensor<4x8x15x15xf32> {
  %y, %i = max_pool2d %x {kernel_size = [2, 2]}
  return %y
}
func @argument(%x: tensor<100x300xf32>) -> tensor<100xi64> {
  %y = argmax %x {dim = 1}
  return %y
}
