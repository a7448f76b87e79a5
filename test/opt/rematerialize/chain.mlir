// An elementwise op that backward reads is computed again behind a barrier, which waits for what backward has by then;
// here backward reads its operand anyway.
// RUN: mlgc opt %s --rematerialize='function=f results=1 recompute=cheap' --statistics 2>%t.txt | FileCheck %s
// CHECK: func @f(
// CHECK: %[[M:m]] = matmul %x, %w
// CHECK: %t = tanh %m
// CHECK: %n = matmul %t, %w
// CHECK: %a = mul %g, %n
// CHECK: %[[AGAIN:.*]] = optimization_barrier %m, %a
// CHECK: %[[T:.*]] = tanh %[[AGAIN]]
// CHECK: %b = mul %a, %[[T]]
// CHECK: mul %b, %m
// RUN: FileCheck %s --check-prefix=COUNTS < %t.txt
// COUNTS: ops-recomputed: 1
// COUNTS: values-kept: 2
// Without an effect where nothing may be computed again, and without a function.
// RUN: mlgc opt %s --rematerialize='function=f results=1 recompute=none' | FileCheck %s --check-prefix=NONE
// RUN: mlgc opt %s --rematerialize | FileCheck %s --check-prefix=NONE
// NONE: func @f(
// NONE-NOT: optimization_barrier
// Products too: then the function's arguments, and its result, are all that is read.
// RUN: mlgc opt %s --rematerialize='function=f results=1 recompute=all' | FileCheck %s --check-prefix=ALL
// ALL: %a = mul %g, %n
// ALL-NEXT: optimization_barrier %x, %a
// ALL-NEXT: matmul
// ALL-NEXT: tanh
// The same bits.
// RUN: mlgc eval %s --random-inputs=1 --dim=B=3 --output=@%t.npz
// RUN: mlgc opt %s --rematerialize='function=f results=1 recompute=all' -o %t.mlir
// RUN: mlgc eval %t.mlir --random-inputs=1 --dim=B=3 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CSE, and all of -O2, leave both computations apart.
// RUN: mlgc opt %t.mlir -O2 | FileCheck %s --check-prefix=APART
// APART-COUNT-3: matmul
module {
  func @f(%x: tensor<[B]x8xf32>, %w: tensor<8x8xf32>, %g: tensor<[B]x8xf32>) -> (tensor<[B]x8xf32>, tensor<[B]x8xf32>) {
    %m = matmul %x, %w
    %t = tanh %m
    %n = matmul %t, %w
    %a = mul %g, %n
    %b = mul %a, %t
    %c = mul %b, %m
    return %n, %c
  }
}
