// One graph in all notations: how many operators each has, and what stands for each op.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=all --side-by-side | FileCheck %s
// RUN: mlgc export %s --to=all --random-weights=1 -o %t
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: not mlgc export %s --to=all 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: not mlgc export %s --to=dot --side-by-side 2>&1 | FileCheck %s --check-prefix=ALONE
// CHECK: notation     operators     bytes  what it makes explicit
// CHECK-NEXT: mlgc                 3            types and sizes of every value, weights, states
// CHECK-NEXT: fx-code              3  {{[0-9]+}}  overloads of ATen, every argument, sizes as numbers of Python
// CHECK: %w = read
// CHECK-NEXT:   fx-code, fx-tabular, torchscript  get_attr
// CHECK-NEXT:   onnx, onnx-text, relay            -
// CHECK-EMPTY:
// CHECK-NEXT: %p = matmul
// CHECK-NEXT:   fx-code, fx-tabular, torchscript  aten::matmul
// CHECK-NEXT:   onnx, onnx-text                   MatMul
// CHECK-NEXT:   relay                             nn.matmul
// FILES: side-by-side.dot
// FILES-NEXT: side-by-side.fx.txt
// FILES-NEXT: side-by-side.json
// FILES-NEXT: side-by-side.onnx
// FILES-NEXT: side-by-side.onnx.txt
// FILES-NEXT: side-by-side.py
// FILES-NEXT: side-by-side.relay.txt
// FILES-NEXT: side-by-side.safetensors
// FILES-NEXT: side-by-side.torchscript.txt
// NEEDS: error: --to=all needs --side-by-side, or a folder: -o FOLDER
// ALONE: error: --side-by-side needs --to=all
module {
  weight @w : tensor<8x4xf32>
  func @forward(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> {
    %w = read @w
    %p = matmul %x, %w
    %y = softmax %p {dim = 1}
    return %y
  }
}
