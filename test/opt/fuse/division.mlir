// A contraction does not divide to find its operands: heads that a view merges are put side by side first, by a kernel of
// their own or by the one that computes them. A view that merges what is contiguous, and one of what a kernel computes,
// leaves elements in place. A contraction that divides by itself (groups) fuses as others do. Nor does it choose places:
// a border that reflects or goes around is made beforehand, for contractions, groups and windows alike.
// RUN: mlgc explain fusion %s | FileCheck %s
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --check-prefix=LOOPS --input-file=%t.mlir
// RUN: mlgc eval %s --function=merged --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=merged --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=reflected --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=reflected --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=around --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=around --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// CHECK: @merged: 2 kernels
// CHECK: fused %m of transpose by %r = view view: every element stays where it is: no kernel and no copy
// CHECK: apart %r of view by %y = linear 15360 bytes lost division: a contraction or a window would divide, or reflect at a border, to find the elements that it reads, for each of its uses: they are arranged in memory first; needs a view that merges dims in the order in which they lie, or splits none; a border of one number
// CHECK: @computed: 2 kernels
// CHECK: fused %a of matmul by %m = transpose
// CHECK: apart %r of view by %y = linear 15360 bytes lost division:
// CHECK: @scaled: 2 kernels
// CHECK: kernel {{.*}}: pointwise, 1 op (mul)
// CHECK: fused %r of view by %y = linear view:
// CHECK: @affine: 1 kernel,
// CHECK: @grouped: 1 kernel,
// CHECK: fused %y of conv1d by %z = relu
// CHECK: @reflected: 2 kernels
// CHECK: apart %p of pad by %y = conv2d {{.*}} division:
// CHECK: @around: 2 kernels
// CHECK: apart %p of pad by %y = conv2d {{.*}} division:
// CHECK: @depthwise: 2 kernels
// CHECK: apart %p of pad by %y = conv2d {{.*}} division:
// LOOPS-NOT: floordiv
// LOOPS-LABEL: func @grouped
// SAME: y: agrees
func @merged(%a: tensor<2x3x16x40xf32>, %w: tensor<50x120xf32>) -> tensor<2x16x50xf32> {
  %m = transpose %a {dim0 = 1, dim1 = 2}
  %r = view %m {shape = [2, 16, 120]}
  %y = linear %r, %w
  return %y
}
func @computed(%p: tensor<2x3x16x16xf32>, %v: tensor<2x3x16x40xf32>, %w: tensor<50x120xf32>) -> tensor<2x16x50xf32> {
  %a = matmul %p, %v
  %m = transpose %a {dim0 = 1, dim1 = 2}
  %r = view %m {shape = [2, 16, 120]}
  %y = linear %r, %w
  return %y
}
func @scaled(%a: tensor<2x16x3x40xf32>, %w: tensor<50x120xf32>) -> tensor<2x16x50xf32> {
  %s = mul %a, %a
  %r = view %s {shape = [2, 16, 120]}
  %y = linear %r, %w
  return %y
}
func @affine(%a: tensor<2x16x120xf32>, %k: tensor<2x3x40x16xf32>) -> tensor<2x3x16x16xf32> {
  %h = view %a {shape = [2, 16, 3, 40]}
  %q = transpose %h {dim0 = 1, dim1 = 2}
  %y = matmul %q, %k
  return %y
}
func @grouped(%x: tensor<2x6x30xf32>, %w: tensor<8x3x3xf32>) -> tensor<2x8x28xf32> {
  %y = conv1d %x, %w {groups = 2}
  %z = relu %y
  return %z
}
func @reflected(%x: tensor<2x5x9x11xf32>, %w: tensor<7x5x3x3xf32>) -> tensor<2x7x9x11xf32> {
  %p = pad %x {pad = [1, 1, 1, 1], mode = "reflect"}
  %y = conv2d %p, %w
  return %y
}
func @around(%x: tensor<2x6x9x11xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x9x11xf32> {
  %p = pad %x {pad = [1, 1, 1, 1], mode = "circular"}
  %y = conv2d %p, %w {groups = 2}
  return %y
}
func @depthwise(%x: tensor<2x6x9x11xf32>, %w: tensor<6x1x3x3xf32>) -> tensor<2x6x9x11xf32> {
  %p = pad %x {pad = [1, 1, 1, 1], mode = "replicate"}
  %y = conv2d %p, %w {groups = 6}
  return %y
}
