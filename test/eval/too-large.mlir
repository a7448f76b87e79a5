// A value beyond all memory is an error of the program at its place, with the exit code of limits.
// RUN: %exits 5 mlgc eval %s --function=product 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: too-large.mlir:[[#@LINE+5]]:8: error: `full` does not fit in memory: shape 4000000000x4000000000xi1 has more bytes than 2^63 - 1
// RUN: %exits 5 mlgc eval %s --function=bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: too-large.mlir:[[#@LINE+7]]:8: error: `constant` does not fit in memory: not enough memory for a tensor of type 1000000x1000000xf32 (4000000000000 bytes)
func @product() -> tensor<4000000000x4000000000xf32> {
  // Nothing is allocated before the size is known to be sound.
  %a = full {size = [4000000000, 4000000000], value = 1.0, dtype = f32}
  return %a
}
func @bytes() -> tensor<f32> {
  %a = constant {value = dense<1.0> : tensor<1000000x1000000xf32>}
  %b = sum %a {dim = [0, 1]}
  return %b
}
