// What PyTorch refuses and mlgc computes is counted, with PyTorch's message; it is no error.
// RUN: env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=refuses mlgc compare %s --finite | FileCheck %s
// CHECK: 0 agree, 0 differ, 0 differ as known, 0 refused by both, 3 refused by PyTorch only, 0 not compared
// CHECK: refused by PyTorch only:
// CHECK-NEXT: 3  exp: the plug-in refuses everything
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x
  return %y
}
