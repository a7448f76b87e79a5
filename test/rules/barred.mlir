// A rule of one's own that the mode of --numerics bars is named, once, where it would first apply; a rule that matches
// nothing, and a built-in file, are not.
// RUN: mlgc opt %s --rules=%S/Inputs/barred.rules -o %t.like 2>&1 | FileCheck %s --check-prefix=BARRED
// RUN: mlgc opt %s --rules=%S/Inputs/barred.rules --numerics=fast -o %t.fast 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: mlgc opt %s -O2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: FileCheck %s --check-prefix=FAST < %t.fast
// BARRED: barred.mlir:[[#@LINE+8]]:8: warning: rule `sin-of-cos` matches here and is not applied: its numerics class is approximate, which --numerics=like-eager does not admit
// BARRED: barred.mlir:[[#@LINE+7]]:8: note: --numerics=fast admits every class; docs/rules.md lists what each mode admits
// BARRED-NOT: warning
// SILENT-NOT: {{.}}
// FAST-NOT: sin
// FAST: return %x, %x
func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = cos %x
  %b = sin %a
  %c = cos %x
  %d = sin %c
  return %b, %d
}
