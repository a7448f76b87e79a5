// A function without an operator is composed of others: a divisor by Euclid's steps, until all elements have come to
// their end.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: divisor (int64[4] a, int64[4] b) => (int64[4] divisor)
// CHECK-NEXT:   <int64 number = {0}, int64[1] number_1 = {0}, int64 number_2 = {-1}, int64 number_3 = {1}>
// CHECK-NEXT: {
// CHECK-NEXT:   abs = Abs (a)
// CHECK-NEXT:   abs_1 = Abs (b)
// CHECK-NEXT:   equal = Equal (abs, number)
// CHECK-NEXT:   not = Not (equal)
// CHECK-NEXT:   cast = Cast <to: int = 7> (not)
// CHECK-NEXT:   reducesum = ReduceSum <keepdims: int = 0> (cast, number_1)
// CHECK-NEXT:   equal_1 = Equal (reducesum, number)
// CHECK-NEXT:   not_1 = Not (equal_1)
// CHECK-NEXT:   loop, divisor = Loop <body: graph = body (int64 step, bool goes_on, int64[4] item, int64[4] item_1) => (bool not_3, int64[4] mod, int64[4] where_1) {
// CHECK-NEXT:     equal_2 = Equal (item, number)
// CHECK-NEXT:     equal_3 = Equal (item, number_2)
// CHECK-NEXT:     or = Or (equal_2, equal_3)
// CHECK-NEXT:     where = Where (or, number_3, item)
// CHECK-NEXT:     mod = Mod <fmod: int = 1> (item_1, where)
// CHECK-NEXT:     where_1 = Where (equal_2, item_1, item)
// CHECK-NEXT:     equal_4 = Equal (mod, number)
// CHECK-NEXT:     not_2 = Not (equal_4)
// CHECK-NEXT:     cast_1 = Cast <to: int = 7> (not_2)
// CHECK-NEXT:     reducesum_1 = ReduceSum <keepdims: int = 0> (cast_1, number_1)
// CHECK-NEXT:     equal_5 = Equal (reducesum_1, number)
// CHECK-NEXT:     not_3 = Not (equal_5)
// CHECK-NEXT:   }> (, not_1, abs, abs_1)
// CHECK-NEXT: }
func @divisor(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %divisor = gcd %a, %b
  return %divisor
}
