// What mlgc tune measures of a model, and what the file that it writes does: a kernel is known by its loops, so the
// choice holds wherever they are; the same file gives the same bytes.
// RUN: mlgc tune %s --random-weights=1 --dim=B=5 --min-time=0.01 --candidates=3 -o %t.json > %t.txt
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.txt
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: sed -E 's/, "(strategy|without)": "[^"]*"//; s/(forward.0.*"hash": "[0-9a-f]*")/\1, "without": "outer-product-tiles"/' %t.json > %t.without.json
// RUN: mlgc explain schedule %s | FileCheck %s --check-prefix=DEFAULT
// RUN: mlgc explain schedule %s --machine=native --decisions=%t.without.json | FileCheck %s --check-prefix=WITHOUT
// RUN: mlgc emit %s --random-weights=1 --machine=native --decisions=%t.without.json -o %t.a && mlgc emit %s --random-weights=1 --machine=native --decisions=%t.without.json -o %t.b && diff -r %t.a %t.b
// RUN: mlgc emit %s --random-weights=1 --machine=native -o %t.c && not diff -r -q %t.a %t.c
// RUN: mlgc opt %s -O2 --to=scalar-loops > %t.loops.mlir
// RUN: sed -E 's/"machine": "[^"]*"/"machine": "x86-64-v4"/' %t.without.json > %t.v4.json
// RUN: mlgc opt %t.loops.mlir --layout --weight-panels --schedule='decisions=%t.v4.json' --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: mlgc compile %s --random-weights=1 --decisions=%t.without.json -o %t.mlgcx
// RUN: mlgc run %t.mlgcx --dim=B=5 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=5 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc explain schedule %s --random-weights=1 --measure --min-time=0.01 --dim=B=5 | FileCheck %s --check-prefix=MEASURED
// REPORT: @forward.0.linear
// REPORT-NEXT: {{^ (\* )?}}default: {{[0-9.e+-]+ [um]s}}, predicted {{[0-9.e+-]+ [um]s$}}
// REPORT-NEXT: {{^ (\* )?}}{{(strategy|without)}}={{[a-z-]+}}: {{[0-9.e+-]+ [um]s}}, predicted {{[0-9.e+-]+ [um]s$}}
// REPORT: {{^[0-2]}} of 2 kernels are faster with another strategy; all kernels of a call: {{[0-9.e+-]+ [um]s}}
// FILE: "mlgc-decisions": 1,
// FILE-NEXT: "version": "{{[0-9.]+}}",
// FILE-NEXT: "machine": "x86-64-v{{[234].*}}",
// FILE-NEXT: "sizes": {"B": 5},
// FILE-NEXT: "threads": 1,
// FILE-NEXT: "kernels": [
// FILE-NEXT: {"kernel": "forward.0.linear", "hash": "{{[0-9a-f]+}}"{{.*}},
// FILE-NEXT: "seconds": {"default": {{[0-9.e-]+}}, "{{(strategy|without)}}={{[a-z-]+}}": {{[0-9.e-]+}}
// FILE-NEXT: {"kernel": "forward.1.{{[a-z_]+}}", "hash": "{{[0-9a-f]+}}"{{.*}},
// DEFAULT: outer-product-tiles at
// WITHOUT: @forward.0.linear
// WITHOUT-NOT: outer-product-tiles
// WITHOUT: @forward.1
// STATS: decided: 1
// SAME: agrees
// MEASURED: @forward.0.linear: {{.*}}, bound by {{.*}}; measured {{[0-9.e+-]+ [um]s$}}
module {
  weight @w : tensor<48x24xf32>
  func @forward(%x: tensor<[B]x24xf32>) -> tensor<[B]x48xf32> where 0 <= B {
    %w = read @w
    %0 = linear %x, %w
    %1 = softmax %0 {dim = 1}
    return %1
  }
}
