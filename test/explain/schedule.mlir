// How the kernels of a model run, why so, what else would, and what they are predicted to take.
// RUN: mlgc explain schedule %s --function=g.0.linear | FileCheck %s --check-prefix=TILES --strict-whitespace --match-full-lines
// RUN: mlgc explain schedule %s --function=tail.0.exp | FileCheck %s --check-prefix=TAIL --strict-whitespace --match-full-lines
// RUN: mlgc explain schedule %s --target=cuda --function=f.1.softmax --dim=B=1024 | FileCheck %s --check-prefix=CUDA --strict-whitespace --match-full-lines
// RUN: mlgc explain schedule %s --function=all.0.sum | FileCheck %s --check-prefix=NESTS
// RUN: mlgc explain schedule %s --function=tail.0.exp --dim=N=8192 --format=json | FileCheck %s --check-prefix=JSON
// RUN: mlgc explain schedule %s --function=all.0.sum --format=json | FileCheck %s --check-prefix=REASON
// RUN: mlgc explain schedule %s > %t.1 && mlgc explain schedule %s > %t.2 && cmp %t.1 %t.2
//
// Of text that has a schedule already it is what the text notes.
// RUN: mlgc opt %s -O2 --to=loops | mlgc explain schedule --function=tail.0.exp | FileCheck %s --check-prefix=AGAIN --strict-whitespace --match-full-lines
// RUN: mlgc opt %s --pass-pipeline=fuse,lower-to-loops | mlgc explain schedule --function=tail.0.exp | FileCheck %s --check-prefix=TAIL --strict-whitespace --match-full-lines
// RUN: %exits 2 mlgc explain schedule %s --function=g.0.liner 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: mlgc opt %s -O2 --to=loops -o %t.loops.mlir
// RUN: %exits 2 mlgc explain schedule %t.loops.mlir -O1 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: %exits 2 mlgc explain schedule %s --target=metal 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: mlgc explain schedule --help | FileCheck %s --check-prefix=HELP
//
// PASSES: mlgc: error: passes: the text is at the loop level, and is explained as it stands
//
// TILES:@g.0.linear: 27.2 us on x86-64-v4, bound by compute
// TILES-NEXT:  %n_o: 8, parallel
// TILES:      %n: 64 in 64 lanes
// TILES-NEXT:        %k: 256  [outer-product-tiles]
// TILES:  outer-product-tiles at %k: 128 iterations of %b0 share what 512 iterations of %n read: 64 lanes of 4 bytes by 6 rows fill the registers; 1 value packed
// TILES-NEXT:    dot-product-tiles would apply: the kernel would take 26.8 us
// TILES-NEXT:  predicted: compute 21.8 us, L1 9.22 us, L2 11.6 us, L3 0 us, memory 0 us, packing 0.341 us, tails 0 us, region 5 us; 3.355e+07 operations, 0 bytes of memory, 8 cores
//
// TAIL:@tail.0.exp: 5.02 us on x86-64-v4, bound by region
// TAIL-NEXT:  %b0_o: N ceildiv 4096, parallel  [elementwise-lanes]
// TAIL-NEXT:    %b0: 4096 in 64 lanes
// TAIL-NEXT:  elementwise-lanes at %b0: 2 of 2 places that move along %b0 are neighbours; 10 operations an element ask for up to 64 lanes
// TAIL-NEXT:  predicted: compute 0.024 us, L1 0.00533 us, L2 0 us, L3 0 us, memory 0 us, packing 0 us, tails 0 us, region 5 us; 2304 operations, 0 bytes of memory, 1 core
// TAIL-NEXT:  supposed: N=256
//
// CUDA:@f.1.softmax: 2.79 us on h200, bound by compute
// CUDA-NEXT:  %i6: B, parallel  [block-per-row]
// CUDA-NEXT:    %i1: 512 in 32 lanes, 4 at a time  [threads-over-row]
// CUDA:  block-per-row at %i6: B iterations of %i6 hold 3 loops each, of more than 16 iterations
// CUDA:  predicted: compute 1.39 us, matrix 0 us, L2 0.481 us, memory 1.28 us, tails 0 us, latency 0.8 us, launch 0.6 us; 8.913e+06 operations, 4.194e+06 bytes of memory, 4.194e+06 of L2, 3.277e+04 threads
// CUDA-NEXT:  runs as: 128 blocks of 256 threads by fma; 8 a multiprocessor, 1 wave, occupancy 12.5 %
//
// REASON: "matches":false,"reason":"loops inside run differently often in each iteration","kind":"bounds-vary"}
//
// JSON: {"version":1,"target":"cpp","machine":"x86-64-v4","assumed":256,"kernels":[{"function":"tail.0.exp","seconds":5.384e-06,"bound":"region","terms":[{"name":"compute","seconds":3.84e-07},{"name":"L1","seconds":8.533333333333333e-08},{"name":"L2","seconds":2.1845333333333332e-07},{"name":"L3","seconds":0},{"name":"memory","seconds":0},{"name":"packing","seconds":0},{"name":"tails","seconds":0},{"name":"region","seconds":4.9999999999999996e-06}],"operations":73728,"memory_bytes":0,"parallel":2,"supposed":[],"recorded":false,"loops":[{"loop":"b0_o","depth":0,"kind":"parallel","iterations":"N ceildiv 4096","strategy":"elementwise-lanes"},{"loop":"b0","depth":1,"kind":"vector","iterations":"4096","lanes":64}],"decisions":[{"stage":"lanes","loop":"b0","strategy":"elementwise-lanes","why":"2 of 2 places that move along %b0 are neighbours; 10 operations an element ask for up to 64 lanes","numerics":"exact","others":[]}],"undone":[]}]}
//
// AGAIN:@tail.0.exp: 5.02 us on x86-64-v4, bound by region
// AGAIN-NEXT:  %b0_o: N ceildiv 4096, parallel  [elementwise-lanes]
// AGAIN-NEXT:    %b0: 4096 in 64 lanes
// AGAIN-NEXT:  it had this schedule already
// AGAIN-NEXT:  predicted: compute 0.024 us, L1 0.00533 us, L2 0 us, L3 0 us, memory 0 us, packing 0 us, tails 0 us, region 5 us; 2304 operations, 0 bytes of memory, 1 core
// AGAIN-NEXT:  supposed: N=256
//
// NESTS: %i0_i1_o: 7, parallel  [split-reduction]  5.44 us, bound by region
// NESTS: %i0_i1_p: 7 in 4 lanes  [reduction-lanes]  0.00267 us, bound by compute
//
// NAME: mlgc: error: there is no kernel `g.0.liner`
// NAME-NEXT: mlgc: note: did you mean `g.0.linear`?
// TARGET: mlgc: error: --target: `metal` is none of cpp|cuda
// HELP: Says which strategy the default schedule takes for each loop nest of a model's kernels, why, which
// HELP: --function NAME
// HELP: Examples:
// HELP-NEXT: mlgc explain schedule model.mlir
func @f(%x: tensor<[B]x256xf32>, %w: tensor<512x256xf32>) -> tensor<[B]x512xf32> {
  %0 = linear %x, %w : tensor<[B]x512xf32>
  %y = softmax %0 {dim = 1} : tensor<[B]x512xf32>
  return %y
}
func @g(%x: tensor<128x256xf32>, %w: tensor<512x256xf32>) -> tensor<128x512xf32> {
  %y = linear %x, %w : tensor<128x512xf32>
  return %y
}
func @tail(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %y = exp %x : tensor<[N]xf32>
  return %y
}
func @all(%x: tensor<1000x100xf32>) -> tensor<f32> {
  %y = sum %x {dim = [0, 1]} : tensor<f32>
  return %y
}
