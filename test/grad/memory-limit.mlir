// A limit of memory is met by recomputing values, the cheapest way, or refused with what is alive at the peak.
// RUN: mlgc grad %s --dim=B=1024 --explain | FileCheck %s
// CHECK: @deep_grad with B = 1024: none, 1.5 MiB for temporaries at the peak
// CHECK: recomputed ops saved peak cost
// CHECK: * none 0 1.2 MiB 1.5 MiB 1.00
// CHECK: cheap 2 768 KiB 1.0 MiB {{1\.[0-9]+$}}
// CHECK: all 5 0 bytes {{.*}} {{1\.[0-9]+$}}
// CHECK: saved, 1.2 MiB:
// CHECK: %m0 matmul at {{.*}}memory-limit.mlir:[[#]]:[[#]] 256 KiB
// RUN: mlgc grad %s --dim=B=1024 --memory-limit=1400KiB --explain -o %t.mlir | FileCheck %s --check-prefix=MET
// MET: @deep_grad with B = 1024: reductions, 2 segments, 1.3 MiB for temporaries at the peak; the limit is 1.4 MiB
// MET: saved, 1 MiB:
// MET: recomputed, instead of saving 256 KiB:
// MET: %h1 gelu at {{.*}} 256 KiB
// What is met is what is taken.
// RUN: mlgc explain memory %t.mlir --dim=B=1024 | FileCheck %s --check-prefix=TAKEN
// TAKEN: @deep_grad with B = 1024: 13{{[0-9][0-9][0-9][0-9][0-9]}} bytes for
// Nothing but the gradients' bits stays the same.
// RUN: mlgc grad %s -o %t.plain.mlir
// RUN: mlgc eval %t.plain.mlir --dim=B=5 --random-inputs=1 --random-weights=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --dim=B=5 --random-inputs=1 --random-weights=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME-COUNT-5: agrees
// RUN: not mlgc grad %s --dim=B=1024 --memory-limit=100KiB 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: memory-limit.mlir:[[#@LINE+24]]:3: error: `@deep_grad` takes at least {{[0-9.]+ [KM]iB}} for temporaries with B = 1024 (--recompute={{[a-z]+}}), more than the limit of 100 KiB
// REFUSED: note: `{{[mht][0-9]}}`, 256 KiB, is alive at the peak, launch @deep_grad.2.mean
// REFUSED: note: and 1 smaller ones
// REFUSED: note: allow it, with --memory-limit={{[0-9]+}}, or take B = {{[0-9]+$}}
// RUN: not mlgc grad %s --memory-limit=100KiB 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: memory cannot be planned: the size of `B` is not known
// SIZES: note: give each size that is a symbol a value: --dim=B=64
// RUN: not mlgc grad %s --memory-limit=lots 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: --memory-limit: `lots` is not a number of bytes, as 64MiB
// RUN: not mlgc grad %s --recompute=all --segments=0 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// SEGMENTS: error: --segments: there is at least one
// RUN: not mlgc grad %s --mode=jvp --recompute=all 2>&1 | FileCheck %s --check-prefix=JVP
// JVP: mlgc: error: `--recompute, --memory-limit and --explain` and `--mode=jvp` exclude each other
// Without a plan, as it is said; split in two, what is kept is what forward returns.
// RUN: mlgc grad %s --mode=split --recompute=cheap | FileCheck %s --check-prefix=SPLIT
// SPLIT: func @deep_forward
// SPLIT-SAME: result_names = ["loss", "saved_m2", "saved_m1", "saved_m0", "saved_x"]
// SPLIT: func @deep_backward
// SPLIT: optimization_barrier
// SPLIT: gelu
module {
  weight @w0 : tensor<64x64xf32>
  weight @w1 : tensor<64x64xf32>
  weight @w2 : tensor<64x64xf32>
  func @deep(%x: tensor<[B]x64xf32>) -> tensor<f32> {
    %w0 = read @w0
    %m0 = matmul %x, %w0
    %h0 = gelu %m0
    %w1 = read @w1
    %m1 = matmul %h0, %w1
    %h1 = gelu %m1
    %w2 = read @w2
    %m2 = matmul %h1, %w2
    %h2 = gelu %m2
    %loss = mean %h2 {dim = [0, 1]}
    return %loss
  }
}
