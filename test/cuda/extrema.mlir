// Positions of extrema: of everything by parts, of rows in warps and blocks, of columns in threads and parts; the first of
// equal elements, and of NaN. emulated_test.py runs what is emitted, and takes barriers and shuffles out.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @extrema {
  func @all(%x: tensor<95x101xf32>) -> tensor<i64> {
    %0 = argmax %x {dim = [0, 1]} : tensor<i64>
    return %0
  }
  func @all_dynamic(%x: tensor<[N]x100xbf16>) -> tensor<i64> where N >= 1 {
    %0 = argmin %x {dim = [0, 1]} : tensor<i64>
    return %0
  }
  func @all_permuted(%x: tensor<30x20x40xf32>) -> tensor<i64> {
    %0 = permute %x {dims = [2, 0, 1]} : tensor<40x30x20xf32>
    %1 = argmax %0 {dim = [0, 1, 2]} : tensor<i64>
    return %1
  }
  func @all_equal(%x: tensor<10000xf32>) -> (tensor<i64>, tensor<i64>) {
    %0 = constant {value = dense<0.5> : tensor<f32>}
    %1 = lt %x, %0 : tensor<10000xi1>
    %2 = cast %1 {dtype = f32} : tensor<10000xf32>
    %3 = argmax %2 {dim = 0} : tensor<i64>
    %4 = argmin %2 {dim = 0} : tensor<i64>
    return %3, %4
  }
  func @all_not_numbers(%x: tensor<9000xf32>) -> (tensor<i64>, tensor<i64>) {
    %0 = sqrt %x : tensor<9000xf32>
    %1 = argmax %0 {dim = 0} : tensor<i64>
    %2 = argmin %0 {dim = 0} : tensor<i64>
    return %1, %2
  }
  func @short_rows(%x: tensor<[N]x61xf32>) -> tensor<[N]xi64> {
    %0 = argmax %x {dim = [1]} : tensor<[N]xi64>
    return %0
  }
  func @odd_rows(%x: tensor<[N]x1089xbf16>) -> (tensor<[N]xbf16>, tensor<[N]xi64>) {
    %0, %1 = max_dim %x {dim = 1} : tensor<[N]xbf16>, tensor<[N]xi64>
    return %0, %1
  }
  func @rows_of_any_length(%x: tensor<3x[N]xf16>) -> (tensor<3xf16>, tensor<3xi64>) where N >= 1 {
    %0, %1 = min_dim %x {dim = 1} : tensor<3xf16>, tensor<3xi64>
    return %0, %1
  }
  func @few_long_rows(%x: tensor<3x9001xi32>) -> tensor<3xi64> {
    %0 = argmin %x {dim = [1]} : tensor<3xi64>
    return %0
  }
  func @columns(%x: tensor<300x[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xi64>) {
    %0, %1 = max_dim %x {dim = 0} : tensor<[N]xf32>, tensor<[N]xi64>
    return %0, %1
  }
  func @middle(%x: tensor<3x200x7xi64>) -> tensor<3x7xi64> {
    %0 = argmax %x {dim = [1]} : tensor<3x7xi64>
    return %0
  }
  func @of_softmax(%x: tensor<[N]x700xf32>) -> (tensor<[N]x700xf32>, tensor<[N]xi64>) {
    %0 = softmax %x {dim = [1]} : tensor<[N]x700xf32>
    %1 = argmax %0 {dim = [1]} : tensor<[N]xi64>
    return %0, %1
  }
  func @of_softmax_columns(%x: tensor<90x[N]xf32>) -> tensor<[N]xi64> {
    %0 = softmax %x {dim = [0]} : tensor<90x[N]xf32>
    %1 = argmax %0 {dim = [0]} : tensor<[N]xi64>
    return %1
  }
}
// Of everything a kernel finds the extrema of parts with their positions, and another one the best of them. A thread keeps what it
// has compared.
// CHECK: {{.*}}__launch_bounds__(512) all_0_argmax_kernel1({{.*}}) {
// CHECK: mlgc_piece<float, 4> x_flat_kept[2];
// CHECK: {{.*}} all_0_argmax_kernel2({{.*}}) {
// CHECK: {{.*}} short_rows_0_argmax_kernel1({{.*}}) {
// CHECK: {{.*}}mlgc_combine_in_warp<8, 8>({{.*}}
// CHECK: {{.*}} columns_0_max_dim_kernel2({{.*}}) {
