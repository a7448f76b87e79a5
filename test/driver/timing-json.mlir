// Times for programs.
// RUN: mlgc opt %s --dce --timing --timing-format=json 2>&1 >/dev/null | %python -m json.tool | FileCheck %s
// CHECK: "version": 1
// CHECK: "peak_memory_bytes": {{[0-9]+}}
// CHECK: "name": "Parser"
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
