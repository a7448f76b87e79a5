// A result that is too wrong on these inputs is held against what PyTorch's dtype is wrong by on inputs within an ulp of
// them: here 83 - 82 is exact, and next to it an ulp of 83 is left over.
// RUN: mlgc eval %s --function=near --output=@%t.near.npz
// RUN: mlgc eval %s --function=f --input=3,5,7 --expect=@%t.near.npz | FileCheck %s --check-prefix=NEAR
// NEAR: result0: agrees
// NEAR: absolute error max 1.9{{[0-9]*}}e-06
// NEAR: allowed {{[0-9.]+}}e-05 for every element; eager's largest error is {{[0-9.]+}}e-06 on inputs within an ulp
// NEAR: worst element []: got 1.000001{{[0-9]*}}, expected 1
// RUN: mlgc eval %s --function=far --output=@%t.far.npz
// RUN: %exits 4 mlgc eval %s --function=f --input=3,5,7 --expect=@%t.far.npz --format=json | FileCheck %s --check-prefix=FAR
// FAR: "agrees": false
// FAR: "reason": "1 element with an error above what is allowed"
// FAR: "nearby": true
func @f(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = mul %x, %x
  %1 = sum %0 {dim = [0]}
  %2 = constant {value = dense<82.0> : tensor<f32>}
  %3 = sub %1, %2
  return %3
}
func @near() -> tensor<f32> {
  %0 = constant {value = dense<1.0000019> : tensor<f32>}
  return %0
}
func @far() -> tensor<f32> {
  %0 = constant {value = dense<1.001> : tensor<f32>}
  return %0
}
