// What is known to read or write outside is tested where it runs, as data is, at every level; a branch that is not taken
// does not fail.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK: load %x[7] {checked = true}
// CHECK: store %{{.*}}, %{{.*}}[{{.*}}7{{.*}}] {checked = true}
// RUN: mlgc opt %s -O2 --to=plan -o /dev/null
// RUN: mlgc opt %s -O2 --to=gpu-loops -o /dev/null
// RUN: %exits 1 mlgc eval %s --function=read --input=1,2 2>&1 | FileCheck %s --check-prefix=INTERP
// INTERP: outside.mlir:[[#@LINE+13]]:8: error: reading `x` at index 7 of axis 0, which has size 2
// RUN: %exits 1 mlgc eval %s --function=read --input=1,2 --backend=cpp 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: error: `read`: reading `x` at index 7 of axis 0, which has size 2
// RUN: %exits 1 mlgc eval %s --function=write --input=1,2 --input=3 --backend=cpp 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: `write`: writing `y` at index 7 of axis 0, which has size 2
// RUN: %exits 1 mlgc eval %s --function=branch --input=1,2 --input=1 --backend=cpp 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: `branch`: reading `x` at index 7 of axis 0, which has size 2
// RUN: mlgc eval %s --function=branch --input=1,2 --input=0 --backend=cpp | FileCheck %s --check-prefix=OTHER
// OTHER: 3.0
module {
func @read(%x: tensor<2xf32>) -> tensor<1xf32> {
  %i = constant {value = dense<[7]> : tensor<1xi64>}
  %j = clone %i
  %y = gather %x, %j {dim = 0}
  return %y
}
func @write(%x: tensor<2xf32>, %src: tensor<1xf32>) -> tensor<2xf32> {
  %i = constant {value = dense<[7]> : tensor<1xi64>}
  %y = scatter %x, %i, %src {dim = 0}
  return %y
}
func @branch(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<f32> {
  %y = if %c {
    %i = constant {value = dense<7> : tensor<i64>}
    %a = index %x, %i {positions = [0]}
    yield %a
  } else {
    %b = sum %x
    yield %b
  }
  return %y
}
}
