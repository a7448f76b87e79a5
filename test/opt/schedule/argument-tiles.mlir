// The argument of an extremum of everything: tiles on any thread keep their extrema, and the first tile that has the
// best one is searched. Axes that lie dense are one, also where the position counts elements of both.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK-LABEL: func @flat.0.argmax(
// CHECK: [[FLAT:%.*]] = buffer_view %x : buffer<9000xf32, argument>
// CHECK: %extrema = alloc : buffer<3xf32, arena>
// CHECK-NEXT: for [0, 3] ([[TILE:%.*]]: index) attributes {kind = "parallel", schedule.strategy = "extremum-then-position"} {
// CHECK-NEXT: for [4096*[[TILE]], min({{.*}})] ({{.*}}) attributes {combine = ["max"], kind = "vector", lanes = 64} {
// CHECK: store {{%.*}}, %extrema[[[TILE]]]
// CHECK: [[BEST:%.*]], [[FIRST:%.*]] = for [0, 3] (
// CHECK: for [min({{.*}}4096*[[FIRST]]{{.*}}), min({{.*}}4096*[[FIRST]] + 4096{{.*}})] ({{.*}}) attributes {combine = ["min"], kind = "vector", lanes = 64} {
// CHECK-NEXT: load [[FLAT]]
//
// RUN: mlgc eval %s --function=flat --random-inputs=1 > %t.flat
// RUN: mlgc eval %s --function=flat --random-inputs=1 --backend=cpp | diff %t.flat -
// RUN: mlgc eval %s --function=special --input=x=iota --backend=cpp | FileCheck %s --check-prefix=SPECIAL
// RUN: mlgc eval %s --function=special --input=x=iota | FileCheck %s --check-prefix=SPECIAL
// SPECIAL: nan: i64
// SPECIAL-NEXT: {{^ *}}8201{{$}}
// SPECIAL-NEXT: equal: i64
// SPECIAL-NEXT: {{^ *}}15000{{$}}
// SPECIAL-NEXT: least: i64
// SPECIAL-NEXT: {{^ *}}0{{$}}
// SPECIAL-NEXT: integers: i64
// SPECIAL-NEXT: {{^ *}}12288{{$}}
// RUN: mlgc eval %s --function=dynamic --dim=N=1 --random-inputs=1 --backend=cpp | FileCheck %s --check-prefix=ONE
// ONE: n: i64
// ONE-NEXT: {{^ *}}0{{$}}
// RUN: mlgc eval %s --function=dynamic --dim=N=12289 --random-inputs=1 > %t.dynamic
// RUN: mlgc eval %s --function=dynamic --dim=N=12289 --random-inputs=1 --backend=cpp | diff %t.dynamic -

func @flat(%x: tensor<90x100xf32>) -> tensor<i64> {
  %n = argmax %x
  return %n
}
func @special(%x: tensor<20000xf32>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %most = constant {value = dense<8200.0> : tensor<f32>}
  %below = sub %most, %x
  %roots = sqrt %below
  %nan = argmax %roots {dim = 0}
  %many = constant {value = dense<5000.0> : tensor<f32>}
  %parts = div %x, %many
  %steps = floor %parts
  %equal = argmax %steps {dim = 0}
  %inf = constant {value = dense<0x7F800000> : tensor<f32>}
  %all = maximum %x, %inf
  %least = argmin %all {dim = 0}
  %whole = cast %x {dtype = i64}
  %place = constant {value = dense<12288> : tensor<i64>}
  %from = sub %whole, %place
  %far = abs %from
  %integers = argmin %far {dim = 0}
  return %nan, %equal, %least, %integers
}
func @dynamic(%x: tensor<[N]xf32>) -> tensor<i64> where N >= 1 {
  %n = argmin %x {dim = 0}
  return %n
}
