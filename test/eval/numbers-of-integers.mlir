// What a number does to integers, as in PyTorch: a real exponent makes floats, factors of a product of matrices and the
// ends of a range are cut off to the dtype.
// RUN: mlgc eval %s --input=x=[5,-300,46341] | FileCheck %s
// CHECK: squares: 3xi32
// CHECK-NEXT: [ 25, 90000, -2147479015]
// CHECK: as_floats: 3xf32
// CHECK-NEXT: [ 25.0, 90000.0, 2147488256.0]
// CHECK: cubes: 3xf32
// CHECK-NEXT: [ 125.0, -2.7e+07, 9.951675e+13]
// CHECK: product: 1x1xi32
// CHECK-NEXT: {{\[\[}}35]]
// CHECK: from_above: 5xui8
// CHECK-NEXT: [254, 191, 128, 65, 2]
// CHECK: cut_off: 5xi64
// CHECK-NEXT: [0, 1, 3, 5, 7]
func @f(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xf32>, tensor<3xf32>, tensor<1x1xi32>, tensor<5xui8>, tensor<5xi64>) {
  %squares = pow %x {other = 2}
  %as_floats = pow %x {other = 2.0}
  %cubes = pow %x {other = 3.0}
  %five = slice %x {dim = 0, start = 0, end = 1}
  %a = view %five {shape = [1, 1]}
  %product = addmm %a, %a, %a {alpha = 1.75, beta = 2.5}
  %from_above = linspace [5] {start = -2, end = 2, dtype = ui8}
  %cut_off = linspace [5] {start = 0.5, end = 7.9, dtype = i64}
  return %squares, %as_floats, %cubes, %product, %from_above, %cut_off
}
