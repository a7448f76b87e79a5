// Rule files that cannot be read, flags without a file, unknown rules to disable.
// RUN: %exits 1 mlgc opt %s --rules=%S/nothing.rules 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: %exits 2 mlgc opt %s --rules 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not mlgc opt %s --apply-rules 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mlgc opt %s --apply-rules='file=fuse-linear disable=linear-rel' 2>&1 | FileCheck %s --check-prefix=DISABLE
// RUN: mlgc opt %s --rules=fuse-linear --pass-pipeline=dce | FileCheck %s
// FILE: mlgc: error: {{[^ ]*}}/nothing.rules: cannot open for reading: No such file or directory
// FLAG: error: `--rules` needs a file: `--rules=FILE`
// NONE: error: option `file` of pass `apply-rules`: a rule file must be named
// DISABLE: error: option `disable` of pass `apply-rules`: there is no rule `linear-rel`
// CHECK: kind = "linear-relu"
func @f(%x: tensor<[B]x3xf32>, %w: tensor<2x3xf32>) -> tensor<[B]x2xf32> {
  %0 = linear %x, %w
  %1 = relu %0
  return %1
}
