// A level stands for its passes where it stands among the flags; beside --pass-pipeline it is a conflict.
// RUN: mlgc opt --expand -O1 --dump-pass-pipeline | FileCheck %s
// RUN: %exits 2 mlgc opt -O1 --pass-pipeline=dce %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: %exits 2 mlgc opt -O3 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK: {{^}}expand,canonicalize,constant-fold,cse,dce{{$}}
// BOTH: mlgc: error: `--pass-pipeline` and `-O1` exclude each other
// UNKNOWN: mlgc: error: `mlgc opt` has no flag `-O3`
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
