// Lanes of a vector loop add up on their own, then halves: 1e8 and -1e8 meet in lane 0 of two, and the ones in lane 1 are
// kept. In order each one is lost beside 1e8. The initial value comes last, and is the result where nothing runs.
// RUN: mlgc eval %s --function=lanes --input=x=4xf32=100000000,1,-100000000,1 | FileCheck %s --check-prefix=LANES
// RUN: mlgc eval %s --function=order --input=x=4xf32=100000000,1,-100000000,1 | FileCheck %s --check-prefix=ORDER
// RUN: mlgc eval %s --function=lanes --input=x=0xf32 | FileCheck %s --check-prefix=NONE
// LANES: y: f32
// LANES-NEXT: 2.5
// ORDER: y: f32
// ORDER-NEXT: 1.0
// NONE: y: f32
// NONE-NEXT: 0.5
func @lanes(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %half = literal {dtype = f32, value = 0.5}
  %s = for [0, N] (%i: index, %c = %half) attributes {combine = ["add"], kind = "vector", lanes = 2} {
    %v = load %x[%i]
    %n = add %c, %v
    yield %n
  }
  store %s, %y[]
  return
}
func @order(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %half = literal {dtype = f32, value = 0.5}
  %s = for [0, N] (%i: index, %c = %half) {
    %v = load %x[%i]
    %n = add %c, %v
    yield %n
  }
  store %s, %y[]
  return
}
