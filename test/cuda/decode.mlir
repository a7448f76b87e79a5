// Attention of few queries over many keys: parts of the keys, some keys at a time, of lengths that fill no part and no step;
// masks that leave some queries or all without a key, infinities and NaN, grouped heads, heads of 1 to 256 elements of each
// float, keys of an unknown number, and what follows. emulated_test.py runs it.
// RUN: mlgc opt %s -O2 --to=gpu-loops --verify-each=numeric 2>/dev/null | FileCheck %s
module @decode {
  func @two(%q: tensor<3x1x64xbf16>, %k: tensor<3x2x64xbf16>, %v: tensor<3x2x64xbf16>) -> tensor<3x1x64xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<3x1x64xbf16>
    return %0
  }
  func @single(%q: tensor<3x1x64xbf16>, %k: tensor<3x1x64xbf16>, %v: tensor<3x1x64xbf16>) -> tensor<3x1x64xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<3x1x64xbf16>
    return %0
  }
  func @one_part(%q: tensor<2x3x1x40xf16>, %k: tensor<2x3x13x40xf16>, %v: tensor<2x3x13x24xf16>) -> tensor<2x3x1x24xf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x3x1x24xf16>
    return %0
  }
  func @two_parts(%q: tensor<2x3x1x40xf16>, %k: tensor<2x3x17x40xf16>, %v: tensor<2x3x17x24xf16>) -> tensor<2x3x1x24xf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x3x1x24xf16>
    return %0
  }
  func @narrow(%q: tensor<5x1x8xbf16>, %k: tensor<5x638x8xbf16>, %v: tensor<5x638x8xbf16>) -> tensor<5x1x8xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<5x1x8xbf16>
    return %0
  }
  func @wide(%q: tensor<2x1x256xbf16>, %k: tensor<2x64x256xbf16>, %v: tensor<2x64x256xbf16>) -> tensor<2x1x256xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x1x256xbf16>
    return %0
  }
  func @floats(%q: tensor<2x3x70xf32>, %k: tensor<2x130x70xf32>, %v: tensor<2x130x9xf32>) -> tensor<2x3x9xf32> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x3x9xf32>
    return %0
  }
  func @several(%q: tensor<2x15x64xbf16>, %k: tensor<2x300x64xbf16>, %v: tensor<2x300x64xbf16>) -> tensor<2x15x64xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true, scale = 0.5} : tensor<2x15x64xbf16>
    return %0
  }
  func @grouped(%q: tensor<2x6x1x64xbf16>, %k: tensor<2x2x65x64xbf16>, %v: tensor<2x2x65x64xbf16>) -> tensor<2x6x1x64xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v {enable_gqa = true} : tensor<2x6x1x64xbf16>
    return %0
  }
  func @cache(%q: tensor<2x4x1x32xbf16>, %k: tensor<2x4x[N]x32xbf16>, %v: tensor<2x4x[N]x32xbf16>, %seen: tensor<[N]xi1>) -> tensor<2x4x1x32xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v, %seen : tensor<2x4x1x32xbf16>
    return %0
  }
  func @up_to(%q: tensor<2x4x1x32xbf16>, %k: tensor<2x4x[N]x32xbf16>, %v: tensor<2x4x[N]x32xbf16>, %last: tensor<1xi64>) -> tensor<2x4x1x32xbf16> {
    %at = arange {start = 0, end = [N], dtype = i64} : tensor<[N]xi64>
    %seen = le %at, %last : tensor<[N]xi1>
    %0 = scaled_dot_product_attention %q, %k, %v, %seen : tensor<2x4x1x32xbf16>
    return %0
  }
  func @masked(%q: tensor<3x2x36xf16>, %k: tensor<3x90x36xf16>, %v: tensor<3x90x36xf16>, %m: tensor<2x90xi1>, %none: tensor<2x1xi1>) -> tensor<3x2x36xf16> {
    %0 = logical_and %m, %none : tensor<2x90xi1>
    %1 = scaled_dot_product_attention %q, %k, %v, %0 : tensor<3x2x36xf16>
    return %1
  }
  func @unsafe(%q: tensor<3x2x36xf16>, %k: tensor<3x90x36xf16>, %v: tensor<3x90x36xf16>, %m: tensor<2x90xi1>, %none: tensor<2x1xi1>) -> tensor<3x2x36xf16> {
    %0 = logical_and %m, %none : tensor<2x90xi1>
    %1 = scaled_dot_product_attention %q, %k, %v, %0 {safe = false} : tensor<3x2x36xf16>
    return %1
  }
  func @biased(%q: tensor<2x3x1x32xbf16>, %k: tensor<2x3x129x32xbf16>, %v: tensor<2x3x129x32xbf16>, %m: tensor<2x1x1x129xbf16>) -> tensor<2x3x1x32xbf16> {
    %0 = scaled_dot_product_attention %q, %k, %v, %m : tensor<2x3x1x32xbf16>
    return %0
  }
  func @infinite_keys(%q: tensor<2x1x32xbf16>, %k: tensor<2x79x32xbf16>, %v: tensor<2x79x32xbf16>, %none: tensor<2x79x1xi1>) -> tensor<2x1x32xbf16> {
    %inf = constant {value = dense<inf> : tensor<1xbf16>}
    %0 = where %none, %inf, %k : tensor<2x79x32xbf16>
    %1 = cumsum %0 {dim = 1} : tensor<2x79x32xbf16>
    %2 = scaled_dot_product_attention %q, %1, %v : tensor<2x1x32xbf16>
    return %2
  }
  func @infinite_values(%q: tensor<2x1x32xbf16>, %k: tensor<2x79x32xbf16>, %v: tensor<2x79x32xbf16>, %none: tensor<2x79x1xi1>) -> tensor<2x1x32xbf16> {
    %inf = constant {value = dense<inf> : tensor<1xbf16>}
    %0 = where %none, %inf, %v : tensor<2x79x32xbf16>
    %1 = cumsum %0 {dim = 1} : tensor<2x79x32xbf16>
    %2 = scaled_dot_product_attention %q, %k, %1 : tensor<2x1x32xbf16>
    return %2
  }
  func @followed(%q: tensor<4x1x16xf32>, %k: tensor<4x50x16xf32>, %v: tensor<4x50x16xf32>, %r: tensor<4x1x16xf32>) -> tensor<4x1x16xf32> {
    %0 = scaled_dot_product_attention %q, %k, %v : tensor<4x1x16xf32>
    %1 = add %0, %r : tensor<4x1x16xf32>
    return %1
  }
}
// CHECK-LABEL: func @two.0
// CHECK: schedule.strategy = "attention-parts"
// CHECK-LABEL: func @one_part.0
// CHECK: for [0, 6] {{.*}}schedule.strategy = "attention-parts"
// CHECK: for [0, 4] (%j_t: index
// CHECK-LABEL: func @two_parts.0
// CHECK: for [0, 2] {{.*}}schedule.strategy = "attention-parts"
// CHECK-LABEL: func @narrow.0
// CHECK: schedule.strategy = "attention-parts"
// CHECK: lanes = 2, per_lane = 4
// CHECK-LABEL: func @wide.0
// CHECK: lanes = 32, per_lane = 8
// CHECK-LABEL: func @floats.0
// CHECK: schedule.strategy = "attention-parts"
// CHECK-LABEL: func @several.0
// CHECK: schedule.strategy = "attention-parts"
// CHECK-LABEL: func @grouped.0
// CHECK: schedule.strategy = "attention-parts"
// CHECK-LABEL: func @cache.0
// CHECK: for [0, N ceildiv 64] {{.*}}schedule.strategy = "attention-parts"
// CHECK: load %{{.*}}, min(4*%j_t, N - 1), %d_0]
// CHECK-LABEL: func @infinite_keys.1
// CHECK: schedule.strategy = "attention-parts"
