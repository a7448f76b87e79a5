// What cannot be judged is listed with the reason, and the pipeline goes on.
// RUN: mlgc opt %s --canonicalize --verify-each=numeric --verify-limit=1000 2>&1 >/dev/null | FileCheck %s --check-prefix=WORK
// RUN: mlgc opt %s --canonicalize --verify-each=numeric 2>&1 >/dev/null | FileCheck %s
// WORK: note: `@large` is not checked after pass `canonicalize`: a run goes through more than 1000 index tuples
// CHECK: note: `@infeasible` is not checked after pass `canonicalize`: no sizes that satisfy its `where` clause were found
// CHECK: note: `@fails` is not checked after pass `canonicalize`: reading `x` at index 4 of axis 0, which has size 4
// CHECK: note: `@empty` is not run with N = 0, values with edges: `max` over an empty extent
func @infeasible(%x: tensor<[N]xf32>) -> tensor<[N]xf32> where N*N mod 4 == 3 {
  %y = mul %x {other = 1.0}
  return %y
}
func @large(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = mul %x {other = 1.0}
  %y = matmul %a, %x
  return %y
}
func @fails(%x: tensor<4xf32>) -> tensor<f32> {
  %n = constant {value = dense<4> : tensor<i64>} : tensor<i64>
  %a = mul %x {other = 1.0}
  %y = index %a, %n {positions = [0]}
  return %y
}
func @empty(%x: tensor<[N]xf32>) -> tensor<f32> {
  %a = mul %x {other = 1.0}
  %y = amax %a {dim = [0]}
  return %y
}
