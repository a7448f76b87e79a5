// Each buffer of a host function is freed after the last op that touches it: through a view, in a loop around that
// touches it, or at once if nothing does. What is freed already stays as it is.
// RUN: mlgc opt %s --insert-deallocs | FileCheck %s
// RUN: mlgc opt %s --insert-deallocs | mlgc opt - --insert-deallocs | FileCheck %s
// RUN: mlgc eval %s --function=f --dim=N=5 --random-inputs=1 > %t.before
// RUN: mlgc opt %s --insert-deallocs | mlgc eval - --function=f --dim=N=5 --random-inputs=1 > %t.after
// RUN: diff %t.before %t.after
// RUN: mlgc opt %s --insert-deallocs | mlgc eval - --function=f --dim=N=5 --random-inputs=1 --backend=interp,cpp > %t.both
func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %a[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %b[%i]
  }
  return
}
// CHECK-LABEL: func @f(
// CHECK-NEXT:    %t = alloc : buffer<[N]xf32, arena>
// CHECK-NEXT:    %u = alloc : buffer<[N]xf32, arena>
// CHECK-NEXT:    %idle = alloc : buffer<[N]xf32, arena>
// CHECK-NEXT:    dealloc %idle
// CHECK-NEXT:    %v = buffer_view %t : buffer<[N]xf32, arena>
// CHECK-NEXT:    launch @twice, %x, %t
// CHECK-NEXT:    for [0, 3] (%k: index) {
// CHECK-NEXT:      %inner = alloc : buffer<[N]xf32, arena>
// CHECK-NEXT:      launch @twice, %v, %inner
// CHECK-NEXT:      launch @twice, %inner, %u
// CHECK-NEXT:      dealloc %inner
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    dealloc %t
// CHECK-NEXT:    launch @twice, %u, %y
// CHECK-NEXT:    dealloc %u
// CHECK-NEXT:    return
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  %u = alloc : buffer<[N]xf32, arena>
  %idle = alloc : buffer<[N]xf32, arena>
  %v = buffer_view %t : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  for [0, 3] (%k: index) {
    %inner = alloc : buffer<[N]xf32, arena>
    launch @twice, %v, %inner
    launch @twice, %inner, %u
    yield
  }
  launch @twice, %u, %y
  return
}
