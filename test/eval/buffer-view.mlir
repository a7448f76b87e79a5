// A view gives a buffer other sizes: a kernel runs through it flat, a host function launches it on a row of what it computed,
// and what is written through a view is written to the argument underneath.
// RUN: mlgc opt %s | FileCheck %s
// RUN: mlgc eval %s --function=f --input=x=2x3xf32=iota | FileCheck %s --check-prefix=VALUES
// RUN: %exits 1 mlgc eval %s --function=far --input=x=2x3xf32=iota --input=i=1xi64=18 2>&1 | FileCheck %s --check-prefix=FAR
// CHECK: %flat = buffer_view %x : buffer<[3*B]xf32, argument>
func @double(%x: buffer<[B]x3xf32, argument>, %y: buffer<[3*B]xf32, argument>) {
  %flat = buffer_view %x : buffer<[3*B]xf32, argument>
  for [0, 3*B] (%i: index) attributes {kind = "vector", lanes = 4} {
    %0 = load %flat[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %y[%i]
  }
  return
}
func @f(%x: buffer<[B]x3xf32, argument>, %y: buffer<3x[B]xf32, argument>) attributes {results = 1} {
  %flat = buffer_view %y : buffer<[3*B]xf32, argument>
  launch @double, %x, %flat
  return
}
// VALUES: y: 3x2xf32
// VALUES-NEXT: {{\[\[ 0.0, 2.0\]}},
// VALUES-NEXT: {{\[ 4.0, 6.0\]}},
// VALUES-NEXT: {{\[ 8.0, 10.0\]\]}}
func @far(%x: buffer<[B]x3xf32, argument>, %i: buffer<1xi64, argument>, %y: buffer<1xf32, argument>) {
  %flat = buffer_view %x : buffer<[3*B]xf32, argument>
  %at = load %i[0] : i64
  %0 = load %flat[%at] {checked = true} : f32
  store %0, %y[0]
  return
}
// FAR: error: reading `flat` at index 18 of axis 0, which has size 6
