// Launches of functions that launch others become their ops, in the caller's words; kernels stay what is launched. So loop text in
// which host functions run host functions is emitted.
// RUN: mlgc opt %s --inline -o %t
// RUN: FileCheck %s < %t
// CHECK: func @outer(
// CHECK-NEXT: %t = alloc : buffer<[2*N]xf32, arena>
// CHECK-NEXT: data @s : buffer<f32, weight>
// CHECK-NEXT: alloc : buffer<[2*N]xf32, arena>
// CHECK-NEXT: launch @scale, %x,
// CHECK-NEXT: launch @scale, {{.*}}, %t
// CHECK-NEXT: launch @next, {{.*}}, %s1
// CHECK-NEXT: for [0, 2] (%i: index) {
// CHECK-NEXT: data @s
// CHECK-NEXT: alloc : buffer<[2*N]xf32, arena>
// CHECK-NEXT: launch @scale, %t
// CHECK-NEXT: launch @scale, {{.*}}, %y
// CHECK-NEXT: launch @next
// CHECK: return %s1
// RUN: mlgc eval %s --function=outer --random-weights=1 --input=x=4xf32=1,2,3,4 > %t.before
// RUN: mlgc eval %t --function=outer --random-weights=1 --input=x=4xf32=1,2,3,4 | diff %t.before -
// RUN: mlgc eval %s --function=outer --random-weights=1 --input=x=4xf32=1,2,3,4 --backend=cpp | diff %t.before -
// RUN: mlgc eval %s --function=inner --random-weights=1 --input=x=4xf32=1,2,3,4 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// RUN: mlgc eval %s --function=plain --random-weights=1 --input=x=4xf32=1,2,3,4 --compare=interp,cpp | FileCheck %s --check-prefix=AGREE
// AGREE: by cpp: agrees
// RUN: mlgc opt %s --inline --rewrites-limit=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: rewrites: 0 made, limit 0
// NONE: launch @inner
state @s : tensor<f32>
func @scale(%x: buffer<[M]xf32, argument>, %s: buffer<f32, argument>, %y: buffer<[M]xf32, argument>) {
  %0 = load %s[] : f32
  for [0, M] (%i: index) {
    %1 = load %x[%i] : f32
    %2 = mul %1, %0 : f32
    store %2, %y[%i]
  }
  return
}
func @next(%s: buffer<f32, argument>, %t: buffer<f32, argument>) {
  %0 = load %s[] : f32
  %1 = add %0, %0 : f32
  store %1, %t[]
  return
}
func @inner(%x: buffer<[M]xf32, argument>, %y: buffer<[M]xf32, argument>, %s1: buffer<f32, argument>) updates (@s = %s1) attributes {planned = true, results = 1} {
  %s = data @s : buffer<f32, weight>
  %t = alloc : buffer<[M]xf32, arena>
  launch @scale, %x, %s, %t
  launch @scale, %t, %s, %y
  launch @next, %s, %s1
  return %s1
}
func @outer(%x: buffer<[2*N]xf32, argument>, %y: buffer<[2*N]xf32, argument>, %s1: buffer<f32, argument>) updates (@s = %s1) attributes {results = 1} {
  %t = alloc : buffer<[2*N]xf32, arena>
  launch @inner, %x, %t, %s1
  for [0, 2] (%i: index) {
    launch @inner, %t, %y, %s1
  }
  return %s1
}
func @plain(%x: buffer<[K]xf32, argument>, %y: buffer<[K]xf32, argument>) {
  %two = alloc : buffer<f32, arena>
  %0 = literal {dtype = f32, value = 2.0} : f32
  store %0, %two[]
  launch @scale, %x, %two, %y
  return
}
