// Attention by tiles of queries: lengths that fill no tile, causal and not, masks that leave some queries or all without a key,
// infinities and NaN, grouped heads, heads that are views of one projection, and what follows. emulated_test.py runs it.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @attention {
  func @plain(%q: tensor<2x70x64xbf16>, %k: tensor<2x67x64xbf16>, %v: tensor<2x67x64xbf16>) -> tensor<2x70x64xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x70x64xbf16>
    return %0
  }
  func @causal(%q: tensor<1x2x131x40xf16>, %k: tensor<1x2x131x40xf16>, %v: tensor<1x2x131x24xf16>) -> tensor<1x2x131x24xf16> {
    %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true, scale = 0.5} : tensor<1x2x131x24xf16>
    return %0
  }
  func @any(%q: tensor<2x[N]x128xbf16>, %k: tensor<2x[N]x128xbf16>, %v: tensor<2x[N]x128xbf16>) -> tensor<2x[N]x128xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true} : tensor<2x[N]x128xbf16>
    return %0
  }
  func @masked(%q: tensor<3x20x36xf16>, %k: tensor<3x90x36xf16>, %v: tensor<3x90x36xf16>, %m: tensor<20x90xi1>, %none: tensor<20x1xi1>) -> tensor<3x20x36xf16> {
    %0 = logical_and %m, %none : tensor<20x90xi1>
    %1 = scaled_dot_product_attention %q, %k, %v, %0 : tensor<3x20x36xf16>
    return %1
  }
  func @unsafe(%q: tensor<3x20x36xf16>, %k: tensor<3x90x36xf16>, %v: tensor<3x90x36xf16>, %m: tensor<20x90xi1>, %none: tensor<20x1xi1>) -> tensor<3x20x36xf16> {
    %0 = logical_and %m, %none : tensor<20x90xi1>
    %1 = scaled_dot_product_attention %q, %k, %v, %0 {safe = false} : tensor<3x20x36xf16>
    return %1
  }
  func @biased(%q: tensor<2x3x33x32xbf16>, %k: tensor<2x3x129x32xbf16>, %v: tensor<2x3x129x32xbf16>, %m: tensor<2x1x33x129xbf16>) -> tensor<2x3x33x32xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v, %m : tensor<2x3x33x32xbf16>
    return %0
  }
  func @infinite(%q: tensor<1x32x32xbf16>, %k: tensor<1x80x32xbf16>, %v: tensor<1x80x32xbf16>, %none: tensor<1x80x1xi1>) -> tensor<1x32x32xbf16> {
    %inf = constant {value = dense<inf> : tensor<1xbf16>}
    %0 = where %none, %inf, %k : tensor<1x80x32xbf16>
    %1 = scaled_dot_product_attention %q, %0, %v : tensor<1x32x32xbf16>
    return %1
  }
  func @padded(%q: tensor<2x33x32xbf16>, %k: tensor<2x129x32xbf16>, %v: tensor<2x129x32xbf16>, %hidden: tensor<1x33x129xi1>) -> tensor<2x33x32xbf16> {
    %lowest = constant {value = dense<-3.38e+38> : tensor<1xbf16>}
    %zero = constant {value = dense<0.0> : tensor<1xbf16>}
    %m = where %hidden, %lowest, %zero : tensor<1x33x129xbf16>
    %0 = scaled_dot_product_attention %q, %k, %v, %m : tensor<2x33x32xbf16>
    return %0
  }
  func @all_padded(%q: tensor<2x33x32xf16>, %k: tensor<2x129x32xf16>, %v: tensor<2x129x32xf16>) -> tensor<2x33x32xf16> {
    %m = constant {value = dense<-6.0e+04> : tensor<1x1x1xf16>}
    %wide = expand %m {size = [1, 33, 129]} : tensor<1x33x129xf16>
    %0 = scaled_dot_product_attention %q, %k, %v, %wide : tensor<2x33x32xf16>
    return %0
  }
  func @grouped(%q: tensor<2x6x65x64xbf16>, %k: tensor<2x2x65x64xbf16>, %v: tensor<2x2x65x64xbf16>) -> tensor<2x6x65x64xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v {enable_gqa = true, is_causal = true} : tensor<2x6x65x64xbf16>
    return %0
  }
  func @many(%q: tensor<300x140x32xbf16>, %k: tensor<300x80x32xbf16>, %v: tensor<300x80x32xbf16>) -> tensor<300x140x32xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<300x140x32xbf16>
    return %0
  }
  func @stored_by_query(%q: tensor<2x3x70x40xbf16>, %k: tensor<2x3x67x40xbf16>, %v: tensor<2x3x67x40xbf16>) -> tensor<2x70x3x40xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x3x70x40xbf16>
    %1 = permute %0 {dims = [0, 2, 1, 3]} : tensor<2x70x3x40xbf16>
    return %1
  }
  func @stored_and_read(%q: tensor<2x3x70x33xf16>, %k: tensor<2x3x67x33xf16>, %v: tensor<2x3x67x33xf16>) -> (tensor<2x3x70x33xf16>, tensor<70x2x3x33xf16>) {
    %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true} : tensor<2x3x70x33xf16>
    %1 = permute %0 {dims = [2, 0, 1, 3]} : tensor<70x2x3x33xf16>
    return %0, %1
  }
}
// CHECK-DAG: mlgc_attention_tile<mlgc_matrix_bf16, 1, 64, 64>
// CHECK-DAG: mlgc_attention_tile<mlgc_matrix_f16, 1, 64, 32>
// CHECK-DAG: mlgc_attention_tile<mlgc_matrix_bf16, 1, 128, 128>
// CHECK-DAG: mlgc_attention_tile<mlgc_matrix_f16, 1, 64, 64>
// CHECK-DAG: mlgc_attention_tile<mlgc_matrix_bf16, 1, 32, 32>
// CHECK-DAG: mlgc_attention_tile<mlgc_matrix_bf16, 2, 32, 32>
// CHECK: launch @stored_by_query.0.scaled_dot_product_attention_permute, %q, %k, %v, %
