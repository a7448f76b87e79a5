// Several engines run a function; the first value where one is further off than it may be is named with its place.
// RUN: mlgc compare %s --against=compiled | FileCheck %s --check-prefix=AGREE --match-full-lines
// RUN: mlgc compare %s --against=cpp,interp --random-inputs=1 --dim=N=5 -O2 | FileCheck %s --check-prefix=GIVEN --match-full-lines
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc compare %s --against=torch,compiled --input=x=2xf32=1,2 > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck %s --check-prefix=OUT --match-full-lines < %t.out
// RUN: %exits 2 mlgc compare %s --against=compild 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 2 mlgc compare %s --against=interp 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %exits 3 env MLGC_TORCH_PLUGIN=/nowhere/plugin.so mlgc compare %s --against=torch 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %exits 2 mlgc compare %s --random-inputs=1 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: mlgc compare %samples/while_newton.mlir --against=compiled --function=sqrt 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: %exits 3 env MLGC_PYTHON=false mlgc compare %s --against=onnxruntime --input=x=2xf32=1,2 2>&1 | FileCheck %s --check-prefix=NO-ONNX
// RUN: mlgc compare --help | FileCheck %s --check-prefix=HELP
// AGREE: compiled, interp: 1 function, {{[0-9]+}} runs, {{[0-9]+}} values, all agree
// GIVEN: compiled, interp: 1 function, 1 run, 4 values, all agree
// CHECK: against.mlir:[[#@LINE+17]]:8: error: `%r` of `sin` is the first value that parts: torch is off by {{[^ ]+}} ulp, allowed 4 ulp
// CHECK: note: at [1] torch has 0.0, compiled has 0.9{{[0-9]+}}, f64 0.9{{[0-9]+}}; 2 of 2 elements are beyond that, with the inputs that were given
// OUT: torch, compiled: 1 function, 1 run, 1 value, 1 function parted
// NONE: error: there is no engine `compild`
// NONE-NEXT: note: did you mean `compiled`?
// ALONE: error: --against: `interp` is compared with nothing but itself
// MISSING: error: the LibTorch plug-in cannot be used: /nowhere/plugin.so: there is no such file
// NEEDS: error: --random-inputs requires --against
// ENDLESS: warning: `@sqrt` is not compared with plain values: the loop runs more than 1048576 times
// NO-ONNX: error: `onnxruntime` cannot run this: it says nothing
// HELP: Engines of --against:
// HELP-NEXT: interp
// HELP-NEXT: torch
// HELP-NEXT: compiled
// HELP-NEXT: cuda
// HELP-NEXT: onnxruntime
func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %r = sin %x
  %y = exp %r
  %z = neg %y
  return %z
}
