// How wrong each op of a run is, which lose digits first; where NaN and infinities come from.
// RUN: mlgc explain numerics %s -O0 --input=x=3xf32=0.001,1,95 --top=4 | FileCheck %s --match-full-lines
// RUN: mlgc explain numerics %s -O0 --input=x=3xf32=0.001,1,95 %less | FileCheck %s --check-prefix=ONE --match-full-lines
// RUN: mlgc explain numerics %s -O0 --input=x=3xf32=0.001,1,95 %less --format=json | FileCheck %s --check-prefix=JSON
// RUN: %exits 2 mlgc explain numerics %s %lest 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 2 mlgc explain numerics %s --input=y=1 2>&1 | FileCheck %s --check-prefix=INPUT
// CHECK: @lost: errors against f64 in ulp of each result, what adds most first:
// CHECK-NEXT:   value   op    own    operands  result  relative  worst element  where
// CHECK-NEXT:   %below  sub   0      0.225     21.3    2.32e-05  [0]            {{.*}}.mlir:{{[0-9]+:[0-9]+}}
// CHECK-NEXT:   %e      exp   0.346  0         0.346   3.04e-08  [1]            {{.*}}.mlir:{{[0-9]+:[0-9]+}}
// CHECK-NEXT:   %root   sqrt  0.166  6.39e-05  0.166   2.32e-08  [0]            {{.*}}.mlir:{{[0-9]+:[0-9]+}}
// CHECK-NEXT:   %ratio  div   0.418  0.255     0.348   8.29e-08  [0]            {{.*}}.mlir:{{[0-9]+:[0-9]+}}
// CHECK-NEXT:   and 4 values more (--top=0 shows all)
// CHECK-NEXT: where NaN and infinities come from, in the order of running:
// CHECK-NEXT:   %e[2] = inf of exp (in f64 1.8112390828890233e+41): %x = 95.0  {{.*}}
// CHECK-NEXT:   %ratio[2] = nan of div (in f64 1.0): %e = inf, %next = inf  {{.*}}
// CHECK-NEXT:   %log[0] = nan of log: %below = -0.0009995232; 3 elements  {{.*}}
// ONE:   %less  sub  0    0.165     0.166   0.0463    [0] {{.*}}
// ONE-NEXT:   %less[0] is 4.7683716e-07, in f64 4.999999225763219e-07, of %root = 1.0000005
// JSON: "value": "%less",
// JSON: "relative": 0.0463
// NONE: error: there is no value `%lest`
// NONE-NEXT: note: did you mean `%less`?
// INPUT: mlgc: error: function `@lost` has no argument `y`
func @lost(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>) {
  %square = mul %x, %x
  %more = add %square {other = 1.0}
  %root = sqrt %more
  %less = sub %root {other = 1.0}
  %e = exp %x
  %next = add %e {other = 1.0}
  %ratio = div %e, %next
  %below = sub %less, %x
  %log = log %below
  %total = sum %ratio {dim = [0]}
  return %less, %log, %total
}
