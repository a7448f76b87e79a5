// A number in the place of a size: in types, index expressions, attributes, formulas, regions and constraints, of which
// what the numbers show goes.
// RUN: mlgc opt %s --dim=B=8 | FileCheck %s
// RUN: mlgc opt %s --dim=B=8 --dim=S=16 --form=generic > %t.txt && not grep -E '"(B|S)"|\[B|\[S|\*B' %t.txt
// RUN: mlgc opt %s --cse --dim=B=8 --dump-pass-pipeline | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: specialize-dims{dims=B=8},cse
// CHECK: func @f(%x: tensor<8x[S]xf32>, %y: tensor<[8*S]xf32>) -> (tensor<[S + 8]xf32>, tensor<f32>, tensor<8x[S]xf32>) where 1 <= S <= 64, S mod 8 == 0 attributes {memory_limit = 4096, memory_limit_sizes = ["S=64"]} {
// CHECK: %flat = view %x {shape = [8*S]}
// CHECK: %size = dim [16]
// CHECK: %acc = for [0, 8]
// CHECK-NOT: {{[[* ]B[] *,]}}
func @f(%x: tensor<[B]x[S]xf32>, %y: tensor<[B*S]xf32>) -> (tensor<[B + S]xf32>, tensor<f32>, tensor<[B]x[S]xf32>)
    where 1 <= B <= 64, 1 <= S <= B * 8, S mod B == 0 attributes {memory_limit = 4096, memory_limit_sizes = ["B=64", "S=64"]} {
  %flat = view %x {shape = [B*S]}
  %both = add %flat, %y
  %size = dim [2*B]
  %zero = constant {value = dense<0.0> : tensor<f32>}
  %acc = for [0, B] (%i: index, %a = %zero) {
    %next = add %a {other = 1.0}
    yield %next
  }
  %wide = constant {value = dense<1.0> : tensor<[B + S]xf32>}
  %back = view %both {shape = [B, S]}
  return %wide, %acc, %back
}
