// A host function launches loop functions on its arguments, on the arena and on weights; its last arguments are
// results, then new states, which `updates` pairs with what they replace.
// RUN: mlgc eval %s --function=step --input=x=3xf32=1,2,3 --random-weights=1 --output=@%t.npz --output=-
// RUN: mlgc eval %s --function=step --input=x=3xf32=1,2,3 --random-weights=1 --states=@%t.npz | FileCheck %s
// RUN: mlgc opt %s --form=generic | mlgc opt - | mlgc eval - --function=step --input=x=3xf32=1,2,3 --random-weights=1 --states=@%t.npz | FileCheck %s
// CHECK: y: 3xf32
// CHECK-NEXT: [2.0, 4.0, 6.0]
// CHECK-NEXT: @calls: i64
// CHECK-NEXT: 10
state @calls : tensor<i64>
weight @two : tensor<f32> = {
  %c = constant {value = dense<2.0> : tensor<f32>}
  yield %c
}
func @scale(%a: buffer<[N]xf32, argument>, %by: buffer<f32, argument>, %b: buffer<[N]xf32, argument>) where 1 <= N {
  %s = load %by[]
  for [0, N] (%i: index) {
    %v = load %a[%i]
    %m = mul %v, %s
    store %m, %b[%i]
  }
  return
}
func @count(%a: buffer<i64, argument>, %b: buffer<i64, argument>) {
  %v = load %a[]
  %one = literal {dtype = i64, value = 1}
  %n = add %v, %one
  store %n, %b[]
  return
}
func @step(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>, %n: buffer<i64, argument>) where 1 <= B updates (@calls = %n) attributes {results = 1} {
  %two = data @two
  %calls = data @calls
  %t = alloc : buffer<[B]xf32, arena>
  launch @scale, %x, %two, %t
  %u = alloc : buffer<f32, arena>
  %one = literal {dtype = f32, value = 1.0}
  store %one, %u[]
  launch @scale, %t, %u, %y
  launch @count, %calls, %n
  return %n
}
