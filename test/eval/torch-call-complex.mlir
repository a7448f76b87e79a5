// REQUIRES: libtorch
// Complex numbers in and out, in text, through control flow and in files; loops refuse them.
// RUN: mlgc eval %s --input=x=1,2,3,4 --input=z=3xc64=2 --input=c=true --output=@%t.npz --output=- | FileCheck %s
// RUN: mlgc eval %s --input=x=1,2,3,4 --input=z=@%t.npz:chosen --input=c=true --backend=torch --compare=interp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s --input=x=1,2,3,4 --input=z=3xc64=2 --input=c=true --expect=@%t.npz | FileCheck %s --check-prefix=EXPECT
// RUN: not mlgc eval %s --input=x=1,2,3,5 --input=z=3xc64=2 --input=c=true --expect=@%t.npz | FileCheck %s --check-prefix=OTHER
// RUN: mlgc opt %s --form=generic | mlgc opt | FileCheck %s --check-prefix=TEXT
// RUN: not mlgc opt %s --to=loops 2>&1 | FileCheck %s --check-prefix=LOOPS
// CHECK: chosen: 3xc64
// CHECK-NEXT: [20.0+0.0j, -4.0+4.0j, -4.0+0.0j]
// CHECK: size: 3xf32
// AGREE: chosen by torch: agrees
// AGREE-NEXT: type            3xc64, 6 elements
// EXPECT: chosen: agrees
// OTHER: chosen: does not agree: 3 elements with an error above what is allowed
// TEXT: func @f(%x: tensor<4xf32>, %z: tensor<3xc64>, %c: tensor<i1>) -> (tensor<3xc64>, tensor<3xf32>) {
// LOOPS: torch-call-complex.mlir:[[@LINE+4]]:1: error: `func` has no lowering to loops: its argument `z` is complex
// LOOPS: error: `torch.call` has no lowering to loops: a result of it is complex
// LOOPS: error: `if` has no lowering to loops: a result of it is complex
// LOOPS: note: `mlgc eval` runs it, op by op
func @f(%x: tensor<4xf32>, %z: tensor<3xc64>, %c: tensor<i1>) -> (tensor<3xc64>, tensor<3xf32>) {
  %spectrum = torch.call %x {parameters = ["self"], target = "aten::fft_rfft"} : tensor<3xc64>
  %scaled = torch.call %spectrum, %z {parameters = ["self", "other"], target = "aten::mul.Tensor"} : tensor<3xc64>
  %chosen = if %c {
    yield %scaled
  } else {
    yield %z
  }
  %turned = torch.call %chosen {arguments = [[0.0, 1.0]], parameters = ["self", "other"], target = "aten::mul.Scalar"} : tensor<3xc64>
  %size = torch.call %turned {parameters = ["self"], target = "aten::abs"} : tensor<3xf32>
  return %chosen, %size
}
