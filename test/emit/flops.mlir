// What a kernel's comment says it computes: strips of 64 of 72 columns are 64 and 8, whatever the one in the middle has.
// 2*160*784*72 for the product, and two for each block of terms and result.
// RUN: mlgc emit %s -O2 --target=cpp | FileCheck %s
// CHECK: // @f.0.matmul: {{[0-9]+}} bytes read, 46080 written, 18109440 FLOPs
// Sizes that are symbols: as if there were no tiles, and one for each result and block of terms.
// CHECK: // @g.0.matmul: {{.*}}, (K ceildiv 256)*M*N + 2*K*M*N FLOPs
func @f(%a: tensor<160x784xf32>, %b: tensor<784x72xf32>) -> tensor<160x72xf32> {
  %0 = matmul %a, %b
  return %0
}
func @g(%a: tensor<[M]x[K]xf32>, %b: tensor<[K]x[N]xf32>) -> tensor<[M]x[N]xf32> {
  %0 = matmul %a, %b
  return %0
}
