// No kernel has more ops than max-ops; copies of what moves elements do not count.
// RUN: mlgc explain fusion %s --max-ops=2 | FileCheck %s
// RUN: mlgc opt %s --fuse=max-ops=2 --explain-fusion 2>&1 >/dev/null | FileCheck %s
// RUN: mlgc opt %s --fuse=max-ops=2 | FileCheck %s --check-prefix=IR
// RUN: %exits 2 mlgc opt %s --fuse=max-ops=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %exits 2 mlgc explain fusion %s --max-ops=0 2>&1 | FileCheck %s --check-prefix=ZERO
// CHECK: kernel 0: pointwise, 2 ops (exp, permute, sin), rows 4 x 8
// CHECK: kernel 1: pointwise, 1 op (tanh), rows 4 x 8
// CHECK: apart  %b of sin {{ *}}by %c = tanh {{ *}}256 bytes lost {{ *}}limit: the kernel has as many ops as it may; needs a larger max-ops
// IR-COUNT-2: fusion
// IR-NOT: fusion
// ZERO: mlgc: error: {{option `max-ops` of pass `fuse`|--max-ops}}: it must be at least 1
func @f(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %a = exp %x
  %q = permute %a {dims = [1, 0]}
  %b = sin %q
  %c = tanh %b
  return %c
}
