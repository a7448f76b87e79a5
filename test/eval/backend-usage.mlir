// A back end that is not there, or that says nothing new.
// RUN: %exits 3 env MLGC_TORCH_PLUGIN=/nowhere/plugin.so mlgc eval %s --backend=torch 2>&1 | FileCheck %s
// RUN: %exits 3 env MLGC_TORCH_PLUGIN=/nowhere/plugin.so mlgc eval %s --compare=torch 2>&1 | FileCheck %s
// CHECK: mlgc: error: the LibTorch plug-in cannot be used: /nowhere/plugin.so: there is no such file
// RUN: %exits 2 mlgc eval %s --compare=gpu 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: mlgc: error: --compare: `gpu` is none of interp|torch|cpp|cuda
// RUN: %exits 2 mlgc eval %s --compare=interp 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: mlgc: error: --compare: the results are those of `interp` already
// RUN: %exits 2 mlgc eval %s --backend=torch --precision=f64 2>&1 | FileCheck %s --check-prefix=JUDGE
// JUDGE: mlgc: error: `--backend=torch` and `--precision=f64` exclude each other
// RUN: %exits 2 mlgc eval %s --compare=torch --expect=@a.npz 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: mlgc: error: --expect excludes --compare
func @f() -> tensor<f32> {
  %y = constant {value = dense<1.0> : tensor<f32>}
  return %y
}
