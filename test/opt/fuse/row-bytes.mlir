// What a row keeps between its steps has to fit.
// RUN: mlgc explain fusion %s | FileCheck %s --check-prefix=FITS
// RUN: mlgc explain fusion %s --row-bytes=1024 | FileCheck %s
// RUN: mlgc opt %s --fuse=row-bytes=1024 | FileCheck %s --check-prefix=IR
// FITS: uses: 1 of 1 fused
// CHECK: apart  %a of exp  by %r = softmax  4096*B bytes lost  row-memory: what a row keeps for its later steps would not fit in cache; needs a larger row-bytes, or shorter rows
// IR-COUNT-2: fusion
// IR-NOT: fusion
func @f(%x: tensor<[B]x512xf32>) -> tensor<[B]x512xf32> {
  %a = exp %x
  %r = softmax %a {dim = 1}
  return %r
}
