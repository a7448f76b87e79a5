// What a refusal proposes and names: a size that `where` admits, and, with --mode=split, what forward saves, too.
// RUN: %exits 5 mlgc grad %s --dim=B=960 --memory-limit=80KiB 2>&1 | FileCheck %s --check-prefix=ADMITTED
// ADMITTED: memory-limit-refused.mlir:[[#@LINE+7]]:1: error: `@net_grad` takes at least {{[0-9.]+ [KM]iB}} for temporaries with B = 960 (--recompute={{[a-z]+}}), more than the limit of 80 KiB
// ADMITTED: note: allow it, with --memory-limit={{[0-9]+}}, or take B = 96{{$}}
// RUN: %exits 5 mlgc grad %s --dim=B=960 --memory-limit=200KiB --mode=split 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: memory-limit-refused.mlir:[[#@LINE+4]]:1: error: `@net_grad` takes at least {{[0-9.]+ [KM]iB}} for temporaries with B = 960 (--recompute={{[a-z]+}}), more than the limit of 200 KiB
// SPLIT: note: `h`, 240 KiB, is alive at the peak, launch @net_forward.1.matmul
// SPLIT: note: `saved_{{.}}`, 240 KiB, is alive at the peak, launch @net_forward.1.matmul
// SPLIT: note: allow it, with --memory-limit={{[0-9]+}}, or take B = 192{{$}}
func @net(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>) -> tensor<f32> where B mod 96 == 0, 1 <= B {
  %m = matmul %x, %w
  %h = tanh %m
  %n = matmul %h, %w
  %y = mean %n {dim = [0, 1]}
  return %y
}
