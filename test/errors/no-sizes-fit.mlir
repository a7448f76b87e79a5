// Constraints that no sizes satisfy are an error where they stand.
// RUN: mlgc opt %s --split-input-file --verify-diagnostics
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where 5 <= B <= 2`}}
func @bounds(%x: tensor<[B]xf32>) where 5 <= B <= 2 {
  return
}
// -----
// expected-error@+1 {{no sizes satisfy `where B == 3, B <= 2`}}
func @equal(%x: tensor<[B]xf32>) where B == 3, B <= 2 {
  return
}
// -----
// expected-error@+1 {{no sizes satisfy `where 2 <= B <= 2, B != 2`}}
func @only(%x: tensor<[B]xf32>) where 2 <= B <= 2, B != 2 {
  return
}
// -----
func @possible(%x: tensor<[B]x[C]xf32>) where 2 <= B <= 2, B != 3, C == 2*B {
  return
}
// -----
// expected-error@+1 {{no sizes satisfy `where B mod 8 == 0, B mod 8 == 3`}}
func @remainders(%x: tensor<[B]xf32>) where B mod 8 == 0, B mod 8 == 3 {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where B mod 4 == 1, B mod 6 == 2`}}
func @moduli(%x: tensor<[B]xf32>) where B mod 4 == 1, B mod 6 == 2 {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where B mod 4 == 5`}}
func @no_remainder(%x: tensor<[B]xf32>) where B mod 4 == 5 {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where 1 <= B <= 7, B mod 8 == 0`}}
func @no_multiple(%x: tensor<[B]xf32>) where 1 <= B <= 7, B mod 8 == 0 {
  return
}
// -----
// expected-error@+1 {{no sizes satisfy `where B < T, T < B`}}
func @order(%x: tensor<[B]x[T]xf32>) where B < T, T < B {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where B < S, S <= T, T + 1 <= B`}}
func @cycle(%x: tensor<[B]x[S]x[T]xf32>) where B < S, S <= T, T + 1 <= B {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where 2*S == 2*T + 1`}}
func @parity(%x: tensor<[S]x[T]xf32>) where 2*S == 2*T + 1 {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where B == 2*S, B mod 4 == 3`}}
func @defined(%x: tensor<[B]x[S]xf32>) where B == 2*S, B mod 4 == 3 {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where B floordiv 4 == 2, B >= 12`}}
func @quotient(%x: tensor<[B]xf32>) where B floordiv 4 == 2, B >= 12 {
  return
}
// -----
// expected-error@+1 [no-sizes-fit] {{no sizes satisfy `where B + T <= 5, B >= 3, T >= 3`}}
func @sum(%x: tensor<[B]x[T]xf32>) where B + T <= 5, B >= 3, T >= 3 {
  return
}
// -----
func @all_possible(%x: tensor<[B]x[S]x[T]xf32>)
    where B mod 4 == 1, B mod 6 == 3, B <= S, S <= B, 2*T == S + 1, B + T <= 40, min(B, T) <= 5 {
  return
}
