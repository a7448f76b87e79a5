// What reaches nothing but floats of 16 bits takes shorter functions: exponentials, sigmoids, 1 + erf, quotients by what a row
// shares. What a larger float, an integer or a comparison sees of does not. Results are rounded in pairs. emulated_test.py runs
// what is emitted, also with inputs that are not aligned to 16 bytes.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @halves {
  func @rows(%x: tensor<[N]x96xbf16>, %m: tensor<96xi1>) -> tensor<[N]x96xbf16> {
    %1 = masked_fill %x, %m {value = -inf} : tensor<[N]x96xbf16>
    %2 = softmax %1 {dim = [1]} : tensor<[N]x96xbf16>
    return %2
  }
  func @of_f16(%x: tensor<[N]x1032xf16>, %w: tensor<1032xf16>) -> tensor<[N]x1032xf16> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x1032xf16>
    %1 = silu %0 : tensor<[N]x1032xf16>
    %2 = mul %1, %w : tensor<[N]x1032xf16>
    return %2
  }
  func @gelu(%x: tensor<[N]x250xbf16>, %y: tensor<[N]x250xf16>) -> (tensor<[N]x250xbf16>, tensor<[N]x250xf16>) {
    %0 = mul %x {other = 3.0} : tensor<[N]x250xbf16>
    %1 = gelu %0 : tensor<[N]x250xbf16>
    %2 = gelu %y : tensor<[N]x250xf16>
    return %1, %2
  }
  func @exact(%x: tensor<[N]x64xbf16>) -> (tensor<[N]x64xf32>, tensor<[N]x64xbf16>) {
    %0 = cast %x {dtype = f32} : tensor<[N]x64xf32>
    %1 = exp %0 : tensor<[N]x64xf32>
    %2 = floor %1 : tensor<[N]x64xf32>
    %3 = cast %2 {dtype = bf16} : tensor<[N]x64xbf16>
    %4 = sigmoid %0 : tensor<[N]x64xf32>
    return %4, %3
  }
}
// CHECK: rows_0_{{.*}}_kernel1(
// CHECK: mlgc_divide_for_halves(
// CHECK: of_f16_0_{{.*}}_kernel1(
// CHECK: mlgc_exp_for_halves(
// CHECK: mlgc_divide_for_halves(
// CHECK: mlgc_sigmoid_for_halves(
// CHECK: mlgc_halves_of(y_3_piece)
// CHECK: gelu_0_{{.*}}_kernel1(
// CHECK-NOT: mlgc_erf_f32(
// CHECK: mlgc_one_plus_erf_for_halves(
// CHECK: mlgc_write_piece<kAligned>(y_2, b2_b3_first, mlgc_bfloats_of(y_2_flat_piece));
// CHECK: exact_0_{{.*}}_kernel1(
// CHECK-NOT: _for_halves(
// CHECK: mlgc_exp_f32(
