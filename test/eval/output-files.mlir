// REQUIRES: python-numpy
// Results as .npz by name and as .npy, read by NumPy.
// RUN: rm -f %t.npz %t.npy
// RUN: mlgc eval %s --dim=B=2 --input=x=iota --input=s=1 --output=@%t.npz --output=y=@%t.npy
// RUN: %python -c "import numpy, sys; print(numpy.load(sys.argv[1])['y'].tolist(), numpy.load(sys.argv[2]).dtype)" %t.npz %t.npy | FileCheck %s
// CHECK: {{\[\[}}0.0, 1.0], [2.0, 3.0]] float32
func @f(%x: tensor<[B]x2xf32>, %s: tensor<f32>) -> tensor<[B]x2xf32> {
  %y = mul %x, %s
  return %y
}
