// The error of each weight and of results; weights that stay, and why.
// RUN: mlgc quantize %s --dtype=int8 --random-weights=1 --random-inputs=1 --dim=B=3 -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=TEXT
// RUN: mlgc quantize %s --dtype=int4 --group=16 --random-weights=1 | FileCheck %s --check-prefix=FOUR
// RUN: mlgc quantize %s --dtype=int4 | FileCheck %s --check-prefix=BARE
// RUN: not mlgc quantize %s --dtype=int4 --group=7 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: mlgc quantize %s --dtype=int8 -o - 2>/dev/null | mlgc eval - --random-weights=1 --random-inputs=1 --dim=B=3 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// CHECK: @fc.weight int8, a scale a row, error 0.{{[0-9]+}} %
// CHECK-NEXT: @fc.bias stays: `linear` reads it
// CHECK-NEXT: @conv stays: `conv1d` reads it
// CHECK-NEXT: @table int8, a scale a row, error 0.{{[0-9]+}} %
// CHECK-NEXT: 2 of 4 weights quantised
// CHECK-NEXT: result `{{.*}}`: error {{[0-9.]+}} %, largest difference
// TEXT: weight @fc.weight.quantized : tensor<5x48xi8> = {
// TEXT: func @f(
// TEXT: dequantize
// FOUR: @fc.weight int4, a scale for 16, error {{[4-9]|1[0-9]}}
// BARE: no weights are given, so errors are not known
// BARE-NEXT: @fc.weight stays: its rows of 48 are no multiple of 32
// ODD: error: --group=7 must be even with 4 bits, and not 0
// SAME: agrees
weight @fc.weight : tensor<5x48xf32>
weight @fc.bias : tensor<5xf32>
weight @conv : tensor<48x1x1xf32>
weight @table : tensor<9x48xf32>
func @f(%i: tensor<[B]xi64>) -> tensor<[B]x5xf32> {
  %t = read @table
  %e = embedding %t, %i
  %v = view %e {shape = [B, 1, 48]}
  %c = read @conv
  %x = conv1d %v, %c
  %r = mean %x {dim = [1]}
  %w = read @fc.weight
  %b = read @fc.bias
  %y = linear %r, %w, %b
  return %y
}
