// A lane that takes two neighbouring iterations at a time has an accumulator for each; those of a lane are added first.
// Four lanes that take one each lose the 1 beside 1e8.
// RUN: mlgc eval %s --function=neighbours --input=x=8xf32=100000000,-100000000,1,0,0,0,0,0 | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: mlgc eval %s --function=single --input=x=8xf32=100000000,-100000000,1,0,0,0,0,0 | FileCheck %s --check-prefix=SINGLE
// With a third bound the first lane has one iteration before the other one takes its two.
// RUN: mlgc eval %s --function=neighbours --input=x=8xf32=0,100000000,-100000000,1,0,0,0,0 | FileCheck %s --check-prefix=SINGLE
// RUN: mlgc eval %s --function=skewed --input=x=8xf32=0,100000000,-100000000,1,0,0,0,0 | FileCheck %s --check-prefix=NEIGHBOURS
// NEIGHBOURS: [1.0]
// SINGLE: [0.0]
func @neighbours(%x: buffer<8xf32, argument>, %y: buffer<1xf32, argument>) attributes {results = 1} {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, 8] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 2, per_lane = 2} {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[0]
  return
}
func @skewed(%x: buffer<8xf32, argument>, %y: buffer<1xf32, argument>) attributes {results = 1} {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, 8, 1] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 2, per_lane = 2} {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[0]
  return
}
func @single(%x: buffer<8xf32, argument>, %y: buffer<1xf32, argument>) attributes {results = 1} {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, 8] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 4} {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[0]
  return
}
