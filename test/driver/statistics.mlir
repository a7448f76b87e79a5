// What each pass did, in text and as JSON.
// RUN: mlgc opt %s --dce --statistics 2>&1 >/dev/null | FileCheck %s
// RUN: mlgc opt %s --dce --statistics --statistics-format=json 2>&1 >/dev/null | %python -m json.tool | FileCheck %s --check-prefix=JSON
// CHECK: dce
// CHECK: sin
// JSON: "pass": "dce"
// JSON: "sin"
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
