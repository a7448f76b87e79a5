// A change of the model: made only where the file is named.
// RUN: mlgc opt %s --rules=relu-to-leaky-relu --numerics=exact | FileCheck %s
// RUN: mlgc opt %s --rules=relu-to-leaky-relu --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// CHECK: leaky_relu %x : tensor<4xf32>
// RULES: rule relu-to-leaky-relu: 1
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relu %x
  return %0
}
