// Single values, also in a derived weight; as JSON; what was printed before an op fails stays; what cannot be printed.
// RUN: mlgc eval %s --function=f --input=3xf32=1,2,3 --random-weights=1 --print-values=%y,%double | FileCheck %s
// CHECK: %double = add : 3xf32 in @w
// CHECK-NEXT: {{^\[.*\]$}}
// CHECK-NEXT: %y = div : 3xf32
// CHECK-NEXT: [inf, inf, inf]
// CHECK-NEXT: y: 3xf32
// CHECK-NEXT: [inf, inf, inf]
// RUN: mlgc eval %s --function=f --input=3xf32=1,2,3 --random-weights=1 --print-values=%x,%y --format=json | FileCheck %s --check-prefix=JSON
// JSON: {"value":"%x","op":"argument","in":["@f"],"dtype":"f32","shape":[3],"elements":[1.0,2.0,3.0]}
// JSON-NEXT: {"value":"%y","op":"div","in":["@f"],"dtype":"f32","shape":[3],"elements":["inf","inf","inf"]}
// JSON-NOT: {{.}}
// RUN: mlgc eval %s --function=long --print-values=%n --format=json --random-weights=1 | FileCheck %s --check-prefix=LONG
// LONG: {"value":"%n","op":"constant","in":["@long"],"dtype":"f32","shape":[1001]}
// RUN: %exits 1 mlgc eval %s --function=fails --input=3xf32=1,2,3 --print-values --random-weights=1 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: %m = neg : 3xf32
// FAILS-NEXT: [-1.0, -2.0, -3.0]
// FAILS: print-values-named.mlir:[[#@LINE+25]]:3: error: never
// RUN: %exits 2 mlgc eval %s --function=f --print-values=%yy --input=3xf32=1,2,3 --random-weights=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: mlgc: error: the module has no value `%yy`
// UNKNOWN-NEXT: mlgc: note: did you mean `%y`?
// RUN: %exits 2 mlgc eval %s --function=f --print-values --backend=cpp 2>&1 | FileCheck %s --check-prefix=CPP
// CPP: mlgc: error: `--backend=cpp` and `--print-values` exclude each other
// RUN: %exits 2 mlgc eval %s --function=fails --random-weights=1 -O2 --to=loops --print-values --input=3xf32=1,2,3 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: mlgc: error: --print-values: `@fails` is at the loop level, whose values are memory
// RUN: %exits 2 mlgc eval %s --function=f --format=json 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: mlgc: error: --format requires --expect, --compare or --print-values
weight @v : tensor<3xf32>
weight @w : tensor<3xf32> = {
  %v = read @v
  %double = add %v, %v
  yield %double
}
func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = read @w
  %0 = mul %w {other = 0.0}
  %abs = abs %0
  %y = div %x, %abs
  return %y
}
func @fails(%x: tensor<3xf32>) -> tensor<3xf32> {
  %m = neg %x
  check [-1] {message = "never"}
  return %m
}
func @long() -> tensor<1001xf32> {
  %n = constant {value = dense<1.0> : tensor<1001xf32>}
  return %n
}
