// Without the plug-in nothing is compared: exit code 3, with what was looked for.
// RUN: %exits 3 env MLGC_TORCH_PLUGIN=/nowhere/plugin.so mlgc compare %s 2>&1 | FileCheck %s
// CHECK: error: the LibTorch plug-in cannot be used: /nowhere/plugin.so: there is no such file
// CHECK: note: `scripts/setup` installs torch and the build then makes libmlgc_torch.so next to mlgc; the environment variable MLGC_TORCH_PLUGIN may name another file
// RUN: %exits 3 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=version mlgc compare %s 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: mlgc: error: the LibTorch plug-in cannot be used: {{[^ ]*}}/libmlgc_wrong_plugin.so: it is of version 6, wanted is 5
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x
}
