// A call is of results: what the callee puts into a state when it is called from outside is left out, in the interpreter as in
// what stands in the place of the call.
// RUN: mlgc opt %s --inline --dce -o %t
// RUN: FileCheck %s < %t
// CHECK: func @count(%x: tensor<[N]xf32>) -> tensor<[N]xf32> updates (@n = %next) {
// CHECK: func @f
// CHECK-NEXT: %n = read @n : tensor<f32>
// CHECK-NEXT: %y = add %a, %n : tensor<[B]xf32>
// CHECK-NEXT: return %y
// RUN: mlgc eval %s --function=f --random-weights=1 --input=a=2xf32=1,2 > %t.before
// RUN: FileCheck %s --check-prefix=EVAL < %t.before
// RUN: mlgc eval %s -O0 --function=f --random-weights=1 --input=a=2xf32=1,2 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// EVAL: 2xf32
// EVAL-NOT: @n
// AGREE: by cpp: agrees
state @n : tensor<f32>
func @count(%x: tensor<[N]xf32>) -> tensor<[N]xf32> updates (@n = %next) {
  %n = read @n
  %y = add %x, %n
  %next = add %n {other = 1.0}
  return %y, %next
}
func @f(%a: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %0 = call @count, %a
  return %0
}
