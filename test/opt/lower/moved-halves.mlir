// 16-bit floats that are only moved are not computed on: no cast to f32 and back, in branches neither.
// RUN: mlgc opt %s --pass-pipeline=fuse,lower-to-loops | FileCheck %s
// RUN: mlgc eval %s --function=moved --random-inputs=1 --compare=cpp
// RUN: mlgc eval %s --function=padded --random-inputs=1 --compare=cpp
// CHECK-LABEL: func @moved.0.
// CHECK-NOT: cast
// CHECK-LABEL: func @padded.0.
// CHECK-NOT: cast
// CHECK: literal {dtype = f16, value = 1.5} : f16
// CHECK-NOT: cast
// CHECK-LABEL: func @computed.0.
// CHECK: cast %{{.*}} {dtype = f32} : f32
// CHECK: cast %{{.*}} {dtype = bf16} : bf16
func @moved(%x: tensor<3x5xbf16>, %y: tensor<3x4xbf16>) -> tensor<9x3xbf16> {
  %c = cat %x, %y {dim = 1}
  %t = transpose %c {dim0 = 0, dim1 = 1}
  return %t
}
func @padded(%x: tensor<3x5xf16>) -> tensor<3x8xf16> {
  %p = pad %x {pad = [2, 1], value = 1.5}
  return %p
}
func @computed(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %y = exp %x
  return %y
}
