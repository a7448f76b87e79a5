// A place that a loop of a host function writes again in each iteration is nobody else's while the loop runs.
// RUN: mlgc eval %s --input=x=3xf32=1,2,3 --input=b=3xf32=0,2,4 --compare=cpp | FileCheck %s
// CHECK-DAG: y by cpp: agrees
func @f(%x: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3x1xf32> {
  %each, %y = scan %x, %b (%s: tensor<f32>, %t: tensor<f32>) attributes {carried = 0} {
    %u = mul %s, %t : tensor<f32>
    %v = view %u {shape = [1]} : tensor<1xf32>
    yield %s, %v
  } : tensor<3xf32>, tensor<3x1xf32>
  return %y
}
