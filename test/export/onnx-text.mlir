// Operators of ONNX where it has one, else formulas; sizes are computed from shapes, states are inputs and outputs.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: forward (float["2*B + 1", 3] x, float[4, 3] "fc.weight", int64 count) => (bool["2*B + 1", 4] lambda, float["2*B + 1"] values, int64["2*B + 1"] where, int64 rows, int64 half, int64 "@count")
// CHECK-NEXT:   <float number = {0.5}, int64 number_1 = {0}, int64 number_2 = {1}, int64[1] number_3 = {2}, int64[1] number_4 = {1}, int64[0] constant = {}, int64[1] number_5 = {-1}>
// CHECK-NEXT: {
// CHECK-NEXT:   gemm = Gemm <transB: int = 1> (x, "fc.weight")
// CHECK-NEXT:   lambda = LessOrEqual (number, gemm)
// CHECK-NEXT:   where = ArgMax <axis: int = 1, keepdims: int = 0> (gemm)
// CHECK-NEXT:   shape = Shape <start: int = 0, end: int = 1> (x)
// CHECK-NEXT:   sub = Sub (shape, number_4)
// CHECK-NEXT:   B = Div (sub, number_3)
// CHECK-NEXT:   mul = Mul (number_3, B)
// CHECK-NEXT:   add = Add (mul, number_4)
// CHECK-NEXT:   reshape = Reshape (add, constant)
// CHECK-NEXT:   range = Range (number_1, reshape, number_2)
// CHECK-NEXT:   unsqueeze = Unsqueeze (range, number_5)
// CHECK-NEXT:   unsqueeze_1 = Unsqueeze (where, number_5)
// CHECK-NEXT:   concat = Concat <axis: int = -1> (unsqueeze, unsqueeze_1)
// CHECK-NEXT:   values = GatherND (gemm, concat)
// CHECK-NEXT:   rows = Reshape (add, constant)
// CHECK-NEXT:   div = Div (B, number_3)
// CHECK-NEXT:   half = Reshape (div, constant)
// CHECK-NEXT:   "@count" = Add (count, number_2)
// CHECK-NEXT: }
module @net {
  weight @fc.weight : tensor<4x3xf32>
  state @count : tensor<i64> attributes {initial = 0}
  func @forward(%x: tensor<[2*B + 1]x3xf32>) -> (tensor<[2*B + 1]x4xi1>, tensor<[2*B + 1]xf32>, tensor<[2*B + 1]xi64>, tensor<i64>, tensor<i64>) updates (@count = %n) {
    %w = read @fc.weight
    %0 = linear %x, %w
    %lambda = ge %0 {other = 0.5}
    %values, %where = max_dim %0 {dim = 1}
    %rows = dim [2*B + 1]
    %half = dim [B floordiv 2]
    %count = read @count
    %n = add %count {other = 1}
    return %lambda, %values, %where, %rows, %half, %n
  }
}
