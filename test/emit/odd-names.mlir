// Names that C++ has for itself, that look alike as identifiers, or that would end a comment or a string.
// RUN: rm -rf %t && mkdir %t && mlgc emit %s -O0 -o %t/out
// RUN: cd %t/out && %cxx -O0 -DMLGC_ONLY=16 -fPIC -shared -I. model.cpp runtime/*.cpp -o lib.so -pthread -ldl
// RUN: FileCheck %s --input-file=%t/out/model.h
// CHECK: The model `1 a* / b
// CHECK: enum { number_of_1_a___b_a_b = 0, number_of_1_a___b_a_b_ = 1, number_of_1_a___b_functions = 2, number_of_1_a___b_thread_local = 3, number_of_1_a___b_x_int_evil_ = 4 };
// RUN: FileCheck %s --check-prefix=SOURCE --input-file=%t/out/model.cpp
// SOURCE: // @x?int evil;
module @"1 a*/ b" {
func @a.b(%static_cast: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %static_cast : tensor<2xf32>
  return %y
}
func @a_b(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x : tensor<2xf32>
  return %y
}
func @functions(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x : tensor<2xf32>
  return %y
}
func @thread_local(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x : tensor<2xf32>
  return %y
}
func @"x\nint evil;"(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x : tensor<2xf32> loc("a\n#error evil":3:4)
  return %y
}
}
