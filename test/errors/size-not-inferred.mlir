// Sizes of products, where the split matters: refused by the interpreter and when source is emitted, for the same reason.
// RUN: %exits 3 mlgc eval %s --function=alone --input=x=6xf32=1 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %exits 3 mlgc eval %s --function=alone --input=x=6xf32=1 --backend=cpp 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: the size `B` of `@alone` cannot be inferred from the shapes of its inputs: `S` depends on how `B*S` splits
// ALONE: note: give `B` an input that has it as a dim, or use only the product of the sizes in types, attributes and `where`
// RUN: %exits 3 mlgc eval %s --function=range --input=x=6xf32=1 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: the size `B` of `@range` cannot be inferred from the shapes of its inputs: `where 1 <= B, B <= 8, 1 <= S, S <= 16` admits some splits of `B*S` and not others
// RUN: %exits 3 mlgc eval %s --function=order --input=x=6xf32=1 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: the size `B` of `@order` cannot be inferred from the shapes of its inputs: `where B <= S` says more than of `B*S`
// RUN: %exits 3 mlgc eval %s --function=square --input=x=9xf32=1 2>&1 | FileCheck %s --check-prefix=SQUARE
// SQUARE: error: the size `B` of `@square` cannot be inferred from the shapes of its inputs: the dim `B*B` is no multiple of it and a constant
// RUN: %exits 3 mlgc eval %s --function=squares --input=x=36xf32=1 2>&1 | FileCheck %s --check-prefix=SQUARES
// SQUARES: error: the size `B` of `@squares` cannot be inferred from the shapes of its inputs: none of the sizes of `B*B*S*S` stands in it once
// RUN: %exits 3 mlgc eval %s --function=sum --input=x=9xf32=1 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: the size `B` of `@sum` cannot be inferred from the shapes of its inputs: `B*S + B` depends on how `B*S` splits
// RUN: %exits 3 mlgc eval %s --function=beside --input=x=9xf32=1 --input=y=3xf32=1 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: error: the size `B` of `@beside` cannot be inferred from the shapes of its inputs: the dim `B*S` is no multiple of it and a constant
// RUN: %exits 3 mlgc eval %s --function=scaled --input=x=9xf32=1 --input=y=3xf32=1 2>&1 | FileCheck %s --check-prefix=SCALED
// SCALED: error: the size `B` of `@scaled` cannot be inferred from the shapes of its inputs: no dim of an input is a multiple of `B*S` and a constant
func @alone(%x: tensor<[B*S]xf32>) -> tensor<[B]x[S]xf32> {
  %y = view %x {shape = [B, S]}
  return %y
}
func @range(%x: tensor<[B*S]xf32>) -> tensor<[B*S]xf32> where 1 <= B <= 8, 1 <= S <= 16 {
  %y = exp %x
  return %y
}
func @order(%x: tensor<[B*S]xf32>) -> tensor<[B*S]xf32> where B <= S {
  %y = exp %x
  return %y
}
func @square(%x: tensor<[B*B]xf32>) -> tensor<[B*B]xf32> {
  %y = exp %x
  return %y
}
func @squares(%x: tensor<[B*B*S*S]xf32>) -> tensor<[B*B*S*S]xf32> {
  %y = exp %x
  return %y
}
func @sum(%x: tensor<[B*S + B]xf32>) -> tensor<[B*S + B]xf32> {
  %y = exp %x
  return %y
}
func @beside(%x: tensor<[B*S]xf32>, %y: tensor<[S]xf32>) -> tensor<[B*S]xf32> {
  %z = exp %x
  return %z
}
func @scaled(%x: tensor<[B*S*T]xf32>, %y: tensor<[T]xf32>) -> tensor<[B*S*T]xf32> {
  %z = exp %x
  return %z
}
