// Functions that call others compile without -O2 too: calls in arms and loops, of functions that update states, and of functions
// that call further ones.
// RUN: mlgc compile %s -O0 --random-weights=1 --vector-bytes=16 -o %t.mlgcx
// RUN: mlgc run %t.mlgcx --function=f --input=x=2xf32=1,2 --input=go=i1=1 > %t.run
// RUN: FileCheck %s < %t.run
// RUN: mlgc eval %s --function=f --random-weights=1 --input=x=2xf32=1,2 --input=go=i1=1 | diff %t.run -
// CHECK: y: 2xf32
// RUN: mlgc eval %s -O0 --function=f --random-weights=1 --input=x=2xf32=1,2 --input=go=i1=0 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s -O1 --function=f --random-weights=1 --input=x=2xf32=1,2 --input=go=i1=1 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s -O0 --function=count --random-weights=1 --input=x=2xf32=1,2 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// AGREE: by cpp: agrees
// RUN: mlgc opt %s --to=plan | FileCheck %s --check-prefix=LEVEL
// LEVEL-NOT: call @
state @n : tensor<f32>
func @count(%x: tensor<[N]xf32>) -> tensor<[N]xf32> updates (@n = %next) {
  %n = read @n
  %y = add %x, %n
  %next = add %n {other = 1.0}
  return %y, %next
}
func @twice(%x: tensor<[M]xf32>) -> tensor<[M]xf32> {
  %a = call @count, %x
  %b = call @count, %a
  return %b
}
func @f(%x: tensor<[B]xf32>, %go: tensor<i1>) -> tensor<[B]xf32> updates (@n = %last) {
  %chosen = if %go {
    %a = call @twice, %x
    yield %a
  } else {
    %b = call @count, %x
    yield %b
  }
  %looped = for [0, 3] (%i: index, %c = %chosen) {
    %d = call @twice, %c
    yield %d
  }
  %y = while (%v = %looped) {
    %largest = amax %v {dim = [0]}
    %low = lt %largest {other = 40.0}
    condition %low, %v
  } do {
    %more = call @count, %v
    %doubled = add %more, %more
    yield %doubled
  }
  %n = read @n
  %last = mul %n {other = 2.0}
  return %y, %last
}
