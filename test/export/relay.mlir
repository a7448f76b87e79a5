// Operators of Relay, each value bound by let; weights are arguments.
// Sizes that are not constants are question marks.
// RUN: mlgc export %s --to=relay | FileCheck %s
// CHECK: #[version = "0.0.5"]
// CHECK-NEXT: // result 0: h
// CHECK-NEXT: // result 1: where
// CHECK-NEXT: // result 2: @count
// CHECK-NEXT: def @main(%x: Tensor[(?, 3), float32], %fc_weight: Tensor[(4, 3), float32], %fc_bias: Tensor[(4,), float32], %count: int64) -> (Tensor[(?, 4), float32], Tensor[(?,), int64], int64) {
// CHECK-NEXT:   let %0: Tensor[(?, 4), float32] = nn.dense(%x, %fc_weight, units=None);
// CHECK-NEXT:   let %1: Tensor[(?, 4), float32] = nn.bias_add(%0, %fc_bias, axis=-1);
// CHECK-NEXT:   let %h: Tensor[(?, 4), float32] = nn.relu(%1);
// CHECK-NEXT:   let %2: Tensor[(?,), int64] = argmax(%h, axis=[1], keepdims=False);
// CHECK-NEXT:   let %where: Tensor[(?,), int64] = cast(%2, dtype="int64");
// CHECK-NEXT:   let %n: int64 = add(%count, 1i64);
// CHECK-NEXT:   (%h, %where, %n)
// CHECK-NEXT: }
module @net {
  weight @fc.weight : tensor<4x3xf32>
  weight @fc.bias : tensor<4xf32>
  state @count : tensor<i64> attributes {initial = 0}
  func @forward(%x: tensor<[2*B]x3xf32>) -> (tensor<[2*B]x4xf32>, tensor<[2*B]xi64>) updates (@count = %n) {
    %w = read @fc.weight
    %b = read @fc.bias
    %0 = linear %x, %w, %b
    %h = relu %0
    %values, %where = max_dim %h {dim = 1}
    %count = read @count
    %n = add %count {other = 1}
    return %h, %where, %n
  }
}
