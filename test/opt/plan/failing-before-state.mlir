// A buffer that a launch writes which may end the program does not lie in the memory of a state that is written in place:
// what a call leaves of the state after an error is what it was.
// RUN: mlgc opt %s -O2 --to=plan | FileCheck %s
// RUN: mlgc eval %s --input=x=1x1x2x2xf32=iota --input=i=1x1x2x2xi64=1 --random-weights=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// CHECK-LABEL: func @f(%{{.*}}) updates (@s = %{{.*}}) attributes {in_place = ["s"]
// CHECK: %[[Y:.*]] = alloc : buffer<1x1x2x2xf32, arena>
// CHECK: launch @f.0.scatter, %x, %i, %[[Y]]
// SAME: @s by cpp: agrees
module {
  state @s : tensor<1x1x2x2xf32>
  func @f(%x: tensor<1x1x2x2xf32>, %i: tensor<1x1x2x2xi64>) updates (@s = %3) {
    %2 = scatter %x, %i {dim = -2, value = 0.0}
    %3 = tril %2
    return %3
  }
}
