// --to stands for the passes from a graph to a level of the program; each level reads back and runs.
// RUN: mlgc opt %s --to=fused | FileCheck %s --check-prefix=FUSED
// RUN: mlgc opt %s --to=loops | mlgc opt - | FileCheck %s --check-prefix=LOOPS
// RUN: mlgc opt %s --to=fused | mlgc opt - --to=loops | FileCheck %s --check-prefix=LOOPS
// RUN: mlgc opt %s --to=loops | mlgc eval - --input=x=3xf32=[1.0,-2.0,0.0] | FileCheck %s --check-prefix=VALUES
// RUN: %exits 2 mlgc opt %s --to=pieces 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// FUSED: fusion ({{.*}}) attributes {kind = "pointwise"}
// LOOPS: func @f.0.relu_neg(
// LOOPS: launch @f.0.relu_neg, %x, %result0
// VALUES: result0: 3xf32
// VALUES-NEXT: [-1.0, -0.0, -0.0]
// UNKNOWN: mlgc: error: `--to=pieces`: there is no such level of the program
// UNKNOWN-NEXT: mlgc: note: known names: fused, scalar-loops, loops, plan, gpu-loops
func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %0 = relu %x
  %1 = neg %0
  return %1
}
