// A limit that is met is stated on what is made, with the sizes that it was met for, and passes carry it. A plan that
// takes more is refused, whoever makes it.
// RUN: mlgc grad %s --function=f --dim=B=64 --memory-limit=4KiB -o %t.mlir
// RUN: FileCheck %s --check-prefix=STATED < %t.mlir
// STATED: func @f_grad(%x: tensor<[B]x64xf32>) -> (tensor<f32>, tensor<[B]x64xf32>) attributes {memory_limit = 4096, memory_limit_sizes = ["B=64"], result_names = ["y", "d_x"]}
// RUN: mlgc opt %t.mlir -O2 --to=plan | FileCheck %s --check-prefix=HELD
// HELD: func @f_grad({{.*}}) attributes {memory_limit = 4096, memory_limit_sizes = ["B=64"], planned = true, result_names = ["y", "d_x"], results = 2}
// RUN: mlgc opt %t.mlir --fuse=max-ops=1 --lower-to-loops -o %t.loops.mlir
// RUN: %exits 5 mlgc opt %t.loops.mlir --plan 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: %exits 5 mlgc compile %t.loops.mlir -O0 -o %t.mlgcx 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: %exits 5 mlgc emit %t.loops.mlir -O0 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: %exits 5 mlgc eval %t.loops.mlir --backend=cpp --dim=B=1 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: %exits 5 mlgc emit %t.loops.mlir -O0 --target=cuda 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: loops.mlir:[[#]]:3: error: `@f_grad` takes 32{{(.1)?}} KiB for temporaries with B = 64, more than its `memory_limit` of 4 KiB
// BROKEN: note: `a`, 16 KiB, is alive at the peak, launch @f_grad.{{1.sin|2.s[a-z]+}}
// BROKEN: note: `b`, 16 KiB, is alive at the peak, launch @f_grad.{{1.sin|2.s[a-z]+}}
// BROKEN: note: state `memory_limit = 32{{768|832|896}}`, or smaller sizes in `memory_limit_sizes`; `mlgc grad --memory-limit` finds a plan within a limit for the passes of -O2 and --numerics=like-eager
// Split in two, each function gets what forward leaves that saves %a, 16 KiB.
// RUN: mlgc grad %s --function=f --dim=B=64 --memory-limit=20KiB --mode=split | FileCheck %s --check-prefix=SPLIT
// SPLIT: func @f_forward{{.*}} attributes {memory_limit = 4096, memory_limit_sizes = ["B=64"], result_names = ["y", "saved_a"]}
// SPLIT: func @f_backward{{.*}} attributes {memory_limit = 4096, memory_limit_sizes = ["B=64"], result_names = ["d_x"]}
// What is derived from a function has no limit yet.
// RUN: mlgc grad %t.mlir --of=d_x --seed | FileCheck %s --check-prefix=DERIVED
// DERIVED: func @f_grad_grad{{.*}} attributes {result_names = ["y", "d_x", "d_x_{{[0-9]+}}"]}
module {
  func @f(%x: tensor<[B]x64xf32>) -> tensor<f32> {
    %a = exp %x
    %b = sin %a
    %y = sum %b {dim = [0, 1]}
    return %y
  }
}
