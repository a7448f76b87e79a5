// Axes of one size: the types of a kernel stay as they were when it is laid out anew, its name does not, and so what it
// does under its name is not judged by what it did. The host function is.
// RUN: mlgc opt %s --pass-pipeline='layout{buffer=t order=1,0}' --verify-each=numeric > %t 2>&1
// RUN: FileCheck %s --input-file=%t
// CHECK-NOT: error
// CHECK: checked 1 pass: 1 function, {{[0-9]+}} runs, {{.*}}all agree
// CHECK: func @copy.relaid(%a: buffer<5x5xf32, argument>, %b: buffer<5x5xf32, argument>)
// CHECK: store %{{.*}}, %b[%j, %i]
// CHECK: launch @copy.relaid, %x, %t
func @copy(%a: buffer<5x5xf32, argument>, %b: buffer<5x5xf32, argument>) {
  for [0, 5] (%i: index) attributes {kind = "parallel"} {
    for [0, 5] (%j: index) attributes {kind = "parallel"} {
      %0 = load %a[%i, %j]
      store %0, %b[%i, %j]
    }
  }
  return
}
func @sum(%a: buffer<5x5xf32, argument>, %b: buffer<5xf32, argument>) {
  for [0, 5] (%j: index) attributes {kind = "parallel"} {
    %0 = literal {dtype = f32, value = 0.0}
    %1 = for [0, 5] (%i: index, %2 = %0) {
      %3 = load %a[%i, %j]
      %4 = maximum %2, %3
      yield %4
    }
    store %1, %b[%j]
  }
  return
}
func @f(%x: buffer<5x5xf32, argument>, %y: buffer<5xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<5x5xf32, arena>
  launch @copy, %x, %t
  launch @sum, %t, %y
  return
}
