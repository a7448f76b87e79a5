// A table on standard error; the product is on standard output alone.
// RUN: mlgc opt %s --dce --timing 2>%t.err | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s < %t.err
// CHECK: Execution time report
// CHECK: Peak Memory: {{[0-9]+\.[0-9]}} MiB
// CHECK: Parser
// CHECK: dce
// CHECK: Output
// CHECK: Total
// OUT-NOT: Execution time
// OUT: %a = relu %x
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
