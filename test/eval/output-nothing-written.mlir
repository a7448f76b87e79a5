// All of --output is looked at before the first file is written.
// RUN: rm -f %t.npy
// RUN: %exits 2 mlgc eval %s --dim=B=1 --random-inputs=1 --output=y=@%t.npy --output=z 2>&1 | FileCheck %s
// CHECK: mlgc: error: function `@f` has no result `z`
// RUN: %exits 2 mlgc eval %s --dim=B=1 --random-inputs=1 --output=y=@%t.npy --output=@%t.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE: mlgc: error: --output: `{{[^ ]*}}.tmp.npy` is named twice
// RUN: %exits 2 mlgc eval %s --dim=B=1 --random-inputs=1 --output=y=@%t.npy --output=@%t.bin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KIND
// KIND: mlgc: error: --output: `@{{[^ ]*}}.tmp.bin` is none of -, @file.npz, NAME=@file.npy and NAME=-
// RUN: not ls %t.npy
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
