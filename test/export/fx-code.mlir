// A module whose methods call operators of ATen: parameters, sizes from shapes, multiple results.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=fx-code | FileCheck %s
// CHECK: """What `mlgc export --to=fx-code` wrote of `net`."""
// CHECK: aten = torch.ops.aten
// CHECK-NEXT: NAMES = {
// CHECK-NEXT:     "fc_weight": "fc.weight",
// CHECK-NEXT:     "count": "count",
// CHECK-NEXT: }
// CHECK-NEXT: INITIAL = ["count"]
// CHECK: class Model(torch.nn.Module):
// CHECK-NEXT:     def __init__(self):
// CHECK-NEXT:         super().__init__()
// CHECK-NEXT:         self.fc_weight = torch.nn.Parameter(torch.zeros([4, 3], dtype=torch.float32))
// CHECK-NEXT:         self.register_buffer("count", torch.full([], 0.0, dtype=torch.int64))
// CHECK:     def load_weights(self, path=pathlib.Path(__file__).with_suffix(".safetensors")):
// CHECK:     def forward(self, x):
// CHECK-NEXT:         B = (x.shape[0] - 1)//2
// CHECK-NEXT:         w = self.fc_weight
// CHECK-NEXT:         linear = aten.linear.default(x, w, bias=None)
// CHECK-NEXT:         lambda_1 = aten.ge.Scalar(linear, other=0.5)
// CHECK-NEXT:         values, where = aten.max.dim(linear, dim=1, keepdim=False)[:2]
// CHECK-NEXT:         rows = aten.scalar_tensor.default(s=2*B + 1, dtype=torch.int64)
// CHECK-NEXT:         half = aten.scalar_tensor.default(s=(B//2), dtype=torch.int64)
// CHECK-NEXT:         count = self.count
// CHECK-NEXT:         n = aten.add.Scalar(count, other=1, alpha=1)
// CHECK-NEXT:         self.count.data = n
// CHECK-NEXT:         # returns lambda, values, where, rows, half
// CHECK-NEXT:         return lambda_1, values, where, rows, half
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
