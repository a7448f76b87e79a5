// Values that are computed from each other; sorting does not help, and is not advised.
// RUN: mlgc opt %s --split-input-file --verify-diagnostics
// RUN: mlgc opt %s --split-input-file --verify-diagnostics --topological-sort
func @three(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{no order of these ops defines every value before its use: `%a` uses `%b`, `%b` uses `%1`, `%1` uses `%a`}}
  // expected-note@+1 {{break the cycle; a value of an earlier round is an argument that `while`, `for` or `scan` carries}}
  %a = add %b, %x
  %b = mul %1, %x // expected-note {{`%b` is here}}
  %1 = exp %a // expected-note {{`%1` is here}}
  return %a
}
// -----
func @itself(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  // expected-error@+2 {{no order of these ops defines every value before its use: `%e` uses `%e`}}
  // expected-note@+1 {{break the cycle; a value of an earlier round is an argument that `while`, `for` or `scan` carries}}
  %e = if %k { yield %e } else { yield %x }
  return %e
}
