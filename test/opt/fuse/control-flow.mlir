// Regions are planned by themselves; no kernel crosses the end of one.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 32 bytes; each op alone: 1 kernel, 32 bytes
// CHECK-NEXT:  kernel 0: pointwise, 1 op (relu), rows 4
// CHECK-NEXT:    input   %x  tensor<4xf32>  16 bytes
// CHECK-NEXT:    output  %a  tensor<4xf32>  16 bytes
// CHECK-NEXT:    8 operations on 32 bytes: 0.25 a byte
// CHECK-NEXT:  uses: 0 of 1 fused
// CHECK-NEXT:    apart  %a of relu  by %h = scan    no-kernel: one of the two is not a kernel
//      CHECK:@f, `body` of scan ({{.*}}control-flow.mlir:{{[0-9]+}}:8): 1 kernel, 64 bytes; each op alone: 2 kernels, 96 bytes, 1.5 times as many
// CHECK-NEXT:  kernel 1: pointwise, 2 ops (add, mul), rows 4
// CHECK-NEXT:    input   %c  tensor<4xf32>  16 bytes
// CHECK-NEXT:    input   %e  tensor<4xf32>  16 bytes
// CHECK-NEXT:    input   %a  tensor<4xf32>  16 bytes
// CHECK-NEXT:    output  %m  tensor<4xf32>  16 bytes
// CHECK-NEXT:    8 operations on 64 bytes: 0.125 a byte
// CHECK-NEXT:  uses: 1 of 2 fused
// CHECK-NEXT:    fused  %n of add   by %m = mul  32 bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    apart  %a of relu  by %m = mul  16 bytes lost   region: they stand in different regions, of which one may run never, or many times
//      CHECK:@f, `then` of if ({{.*}}control-flow.mlir:{{[0-9]+}}:8): 1 kernel, 32 bytes; each op alone: 2 kernels, 64 bytes, 2 times as many
// CHECK-NEXT:  kernel 2: pointwise, 2 ops (relu, exp), rows 4
// CHECK-NEXT:    input   %h  tensor<4xf32>  16 bytes
// CHECK-NEXT:    output  %q  tensor<4xf32>  16 bytes
// CHECK-NEXT:    12 operations on 32 bytes: 0.375 a byte
// CHECK-NEXT:  uses: 1 of 2 fused
// CHECK-NEXT:    apart  %h of scan  by %r = relu  16 bytes lost   region: they stand in different regions, of which one may run never, or many times
// CHECK-NEXT:    fused  %r of relu  by %q = exp   32 bytes saved  element: the reader needs the element that was just computed
func @f(%x: tensor<4xf32>, %o: tensor<[T]x4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  %a = relu %x
  %h = scan %a, %o (%c: tensor<4xf32>, %e: tensor<4xf32>) attributes {carried = 1} {
    %n = add %c, %e
    %m = mul %n, %a
    yield %m
  }
  %y = if %k {
    %r = relu %h
    %q = exp %r
    yield %q
  } else {
    yield %h
  }
  return %y
}
