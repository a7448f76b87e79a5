// Back ends are held against f64 and against each other: a wrong one is named, exit code 4.
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc eval %s --input=1,2 --compare=torch > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=ERROR < %t.err
// CHECK: y by interp: agrees
// CHECK: y by torch: does not agree: 2 elements with an error above what is allowed
// ERROR: mlgc: error: 1 of 2 results do not agree: y by torch
// It is the same with PyTorch's results as those of the run, and as JSON.
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc eval %s --input=1,2 --backend=torch --compare=interp,torch --format=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "name": "y by torch"
// JSON-NEXT: "agrees": false
// JSON: "name": "y by interp"
// JSON-NEXT: "agrees": true
// Several back ends are compared, whether that is said once more or not.
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc eval %s --input=1,2 --backend=torch,interp --compare --format=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc eval --compare %s --input=1,2 --backend torch,interp --format=json 2>&1 | FileCheck %s --check-prefix=JSON
// What PyTorch refuses the interpreter computes, which is said.
// RUN: env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=refuses mlgc eval %s --input=1,2 --backend=torch 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: mlgc: note: 0 of 1 ops ran in PyTorch 0.0 of the tests, the interpreter ran the others: 1 exp (the plug-in refuses everything)
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x
  return %y
}
