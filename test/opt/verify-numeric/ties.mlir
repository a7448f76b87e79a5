// Positions are integers: what rounding to bf16 makes equal is apart in the f64 run that judges a pass, so that a position
// that stays what it was is right even where the judge finds another one.
// RUN: mlgc opt %s --pass-pipeline=transposed-convolutions --verify-each=numeric -o /dev/null 2>&1 | FileCheck %s
// CHECK: checked 1 pass: 1 function, {{[0-9]+}} runs, all agree
func @f(%0: tensor<5x5x5x5xbf16>, %1: tensor<5x5x5x5xbf16>, %2: tensor<2x2x2xbf16>, %3: tensor<5x5x2xbf16>, %4: tensor<2x3xbf16>, %5: tensor<i1>, %6: tensor<3xbf16>, %7: tensor<2xbf16>, %8: tensor<1xbf16>, %9: tensor<5xi1>, %10: tensor<5xf32>, %11: tensor<1xbf16>, %12: tensor<1xbf16>, %13: tensor<1xbf16>) -> tensor<5x5x5x2xi64> {
  %14 = sigmoid %1 : tensor<5x5x5x5xbf16>
  %15, %16 = topk %14 {k = 2} : tensor<5x5x5x2xbf16>, tensor<5x5x5x2xi64>
  %17 = conv_transpose1d %3, %3 : tensor<5x5x3xbf16>
  return %16
}
