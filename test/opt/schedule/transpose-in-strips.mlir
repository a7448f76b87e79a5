// Columns of a strip that fill no square of registers: how many squares there are is a minimum of quotients, from which
// the verifier tells that the rest lies inside of what is packed; from the quotient of a minimum it cannot.
// RUN: mlgc opt %s --pass-pipeline='transpose-tiles{loop=k size=16 group=1}' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// CHECK: for [64*%s + max(0, min(-64*%s + 192, 64)), min(200, 64*%s + 64)] (%[[N:.*]]: index)
// CHECK: store %{{.*}}, %y[%b, %t, %s, %{{.*}}, %[[N]] - 64*%s]
// SAME: y: agrees
func @f(%w: buffer<200x200xf32, argument>, %y: buffer<3x9x4x200x64xf32, argument>) {
  for [0, 3] (%b: index) attributes {kind = "parallel"} {
    for [0, 9] (%t: index) attributes {kind = "parallel"} {
      for [0, 4] (%s: index) attributes {kind = "parallel"} {
        for [0, 200] (%k: index) {
          for [64*%s, min(200, 64*%s + 64)] (%n: index) {
            %0 = load %w[%n, %k] : f32
            store %0, %y[%b, %t, %s, %k, %n - 64*%s]
          }
        }
      }
    }
  }
  return
}
