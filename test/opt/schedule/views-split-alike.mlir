// Two views of one buffer, `[5*A]x15` and `[5*A]x5x3`, meet only in equal rows: a subscript stays within its axis, also
// one that depends on data.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// RUN: mlgc eval %s -O2 --dim=A=3 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// CHECK: buffer<[5*A]x5x3xf32, argument>
// CHECK: kind = "parallel"
// AGREES-COUNT-3: by cpp: agrees
func @pooled(%x: tensor<5x[A]x5x3xf32>) -> (tensor<5x[A]x5x3xf32>, tensor<5x[A]x5x3xi64>, tensor<5x[A]x5x3xf32>) {
  %c = ceil %x
  %y, %i = max_pool2d %c {ceil_mode = true, kernel_size = [1, 1]}
  return %y, %i, %c
}
