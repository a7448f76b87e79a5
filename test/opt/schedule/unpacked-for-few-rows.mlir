// Products of a few rows unpack a quantised weight in registers: no float weight is in memory, and rows of a tile share what
// is unpacked. With more rows, or an unknown number, it is unpacked once.
// RUN: mlgc opt %s -O2 --to=plan --machine=x86-64-v4 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=bytes --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=groups --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=nibbles --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=many --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=any --dim=B=3 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK:         schedule.strategy = "dot-product-tiles"
// CHECK-NOT:     alloc : buffer<72x96xf32
// CHECK-LABEL: func @many(
// CHECK:         alloc : buffer<72x96xf32, arena>
// CHECK-LABEL: func @any(
// CHECK:         alloc : buffer<72x96xf32, arena>
func @bytes(%x: tensor<5x96xf32>, %w: tensor<72x96xi8>, %s: tensor<72x1xf32>) -> tensor<5x72xf32> {
  %d = dequantize %w, %s
  %y = linear %x, %d
  return %y
}
func @groups(%x: tensor<3x96xf32>, %w: tensor<72x96xi8>, %s: tensor<72x3xf32>) -> tensor<3x72xf32> {
  %d = dequantize %w, %s {group = 32}
  %y = linear %x, %d
  return %y
}
func @nibbles(%x: tensor<2x96xf32>, %w: tensor<72x48xui8>, %s: tensor<72x3xf32>) -> tensor<2x72xf32> {
  %d = dequantize %w, %s {bits = 4, group = 32, zero = 8}
  %y = linear %x, %d
  return %y
}
func @many(%x: tensor<17x96xf32>, %w: tensor<72x96xi8>, %s: tensor<72x1xf32>) -> tensor<17x72xf32> {
  %d = dequantize %w, %s
  %y = linear %x, %d
  return %y
}
func @any(%x: tensor<[B]x96xf32>, %w: tensor<72x96xi8>, %s: tensor<72x1xf32>) -> tensor<[B]x72xf32> {
  %d = dequantize %w, %s
  %y = linear %x, %d
  return %y
}
