// Channels are contiguous between convolutions where that is asked for, or predicted to take less: all buffers that kernels
// share change together, those of a depthwise convolution and of a sum in the middle too; results of the function stay.
// RUN: mlgc opt %s -O2 --to=scalar-loops -o %t.mlir
// RUN: mlgc opt %t.mlir --pass-pipeline='layout{format=channels_last}' --statistics > %t.last 2>&1
// RUN: FileCheck %s --check-prefix=LAST --input-file=%t.last
// RUN: mlgc opt %t.mlir --pass-pipeline='layout{format=auto}' | FileCheck %s --check-prefix=AUTO
// RUN: mlgc opt %t.mlir --pass-pipeline='layout' | FileCheck %s --check-prefix=STAY
// RUN: not mlgc opt %t.mlir --pass-pipeline='layout{format=nhwc}' 2>&1 | FileCheck %s --check-prefix=BAD
// What is computed stays, interpreted as scheduled loops and compiled.
// RUN: mlgc eval %t.mlir --function=block --random-weights=1 --random-inputs=2 --output=@%t.npz
// RUN: mlgc opt %t.mlir --pass-pipeline='layout{format=channels_last},weight-panels,schedule' | mlgc eval --function=block --random-weights=1 --random-inputs=2 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: result0: agrees
// RUN: mlgc explain schedule %s --memory-format=channels_last --function=block.2.conv2d_add.relaid | FileCheck %s --check-prefix=FLAG
// FLAG: @block.2.conv2d_add.relaid: {{.*}} on x86-64-v4
// RUN: not mlgc emit %s --memory-format=auto --target=cuda 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: mlgc: error: `--memory-format` and `--target=cuda` exclude each other
// RUN: not mlgc eval %s --memory-format=auto 2>&1 | FileCheck %s --check-prefix=EVAL
// EVAL: mlgc: error: --memory-format: nothing is compiled without --backend=cpp
// LAST: changed: 4
// LAST: func @block(
// LAST: alloc {layout.order = "[0, 2, 3, 1], channels last, as asked for"} : buffer<1x14x14x48xf32, arena>
// LAST: alloc {layout.order = "[0, 2, 3, 1], channels last, as asked for"} : buffer<1x14x14x48xf32, arena>
// LAST: alloc {layout.order = "[0, 2, 3, 1], channels last, as asked for"} : buffer<1x14x14x16xf32, arena>
// LAST: func @line(
// LAST: alloc {layout.order = "[0, 2, 1], channels last, as asked for"} : buffer<[B]x64x32xf32, arena>
// LAST: func @viewed(
// LAST: alloc {layout.kept = "the layout of the buffer cannot change: a buffer is a view of it"} : buffer<1x48x14x14xf32, arena>
// LAST: func @tokens(
// LAST-NOT: channels last
// AUTO: func @block(
// AUTO: alloc {layout.kept = "channels last takes 1{{..}} %"} : buffer<1x48x14x14xf32, arena>
// AUTO: func @line(
// AUTO: alloc {layout.order = "[0, 2, 1], channels last takes {{[5-9].}} %"} : buffer<[B]x64x32xf32, arena>
// STAY-NOT: channels last
// BAD: mlgc: error: option `format` of pass `layout`: expected contiguous, channels_last or auto, found `nhwc`
module {
  weight @a : tensor<48x16x1x1xf32>
  weight @b : tensor<48x1x3x3xf32>
  weight @c : tensor<16x48x1x1xf32>
  weight @d : tensor<24x16x3x3xf32>
  weight @e : tensor<32x8x3xf32>
  weight @f : tensor<8x32x3xf32>
  weight @g : tensor<64x32xf32>
  func @block(%x: tensor<1x16x14x14xf32>) -> tensor<1x24x12x12xf32> {
    %a = read {symbol = @a} : tensor<48x16x1x1xf32>
    %b = read {symbol = @b} : tensor<48x1x3x3xf32>
    %c = read {symbol = @c} : tensor<16x48x1x1xf32>
    %d = read {symbol = @d} : tensor<24x16x3x3xf32>
    %0 = conv2d %x, %a
    %1 = relu %0
    %2 = conv2d %1, %b {padding = [1, 1], groups = 48}
    %3 = relu %2
    %4 = conv2d %3, %c
    %5 = add %4, %x
    %6 = conv2d %5, %d
    return %6
  }
  func @line(%x: tensor<[B]x8x64xf32>) -> tensor<[B]x8x64xf32> {
    %e = read {symbol = @e} : tensor<32x8x3xf32>
    %f = read {symbol = @f} : tensor<8x32x3xf32>
    %0 = conv1d %x, %e {padding = [1]}
    %1 = relu %0
    %2 = conv1d %1, %f {padding = [1]}
    return %2
  }
  func @viewed(%x: tensor<1x16x14x14xf32>) -> tensor<1x8x1176xf32> {
    %a = read {symbol = @a} : tensor<48x16x1x1xf32>
    %0 = conv2d %x, %a
    %1 = relu %0
    %2 = view %1 {shape = [1, 8, 1176]}
    %3 = softmax %2 {dim = -1}
    %4 = softmax %3 {dim = 1}
    return %4
  }
  func @tokens(%x: tensor<2x10x32xf32>) -> tensor<2x10x32xf32> {
    %g = read {symbol = @g} : tensor<64x32xf32>
    %0 = linear %x, %g
    %1 = relu %0
    %2 = matmul %1, %g
    return %2
  }
}
