// Integers that index something are drawn within it, also through casts, calls and arithmetic with literals.
// RUN: mlgc opt %s --cse --verify-each=numeric 2>&1 >/dev/null | FileCheck %s --implicit-check-not=note
// CHECK: checked 1 pass: 2 functions, {{[0-9]+}} runs, all agree
func @row(%table: tensor<[V]x2xf32>, %i: tensor<[N]xi64>) -> tensor<[N]x2xf32> where 1 <= V, 1 <= N {
  %y = embedding %table, %i
  %z = embedding %table, %i
  %s = add %y, %z
  return %s
}
func @f(%x: tensor<3x2xf32>, %i: tensor<[N]xi32>, %j: tensor<[N]xi64>, %k: tensor<[N]xi64>, %t: tensor<[N]xi64>, %p: tensor<[N]x3xf32>, %d: tensor<[N]xi64>) -> (tensor<[N]x2xf32>, tensor<[N]xf32>, tensor<f32>, tensor<[N]xi64>) where 1 <= N {
  %wide = cast %i {dtype = i64}
  %a = call @row, %x, %wide : tensor<[N]x2xf32>
  %zero = sub %k {other = 1}
  %b = index %x, %j, %zero {positions = [0, 1]}
  %l = nll_loss %p, %t
  %r = floor_divide %j, %d
  return %a, %b, %l, %r
}
