// REQUIRES: libtorch
// A small network, every op of it; passes too.
// RUN: mlgc compare %samples/residual_block.mlir -O2 | FileCheck %s
// RUN: mlgc compare %samples/embedding.mlir --canonicalize --cse | FileCheck %s
// CHECK: 1 program, {{[0-9]+}} runs of
// CHECK: against PyTorch {{[0-9.]+}}: {{[0-9]+}} agree, 0 differ, 0 differ as known, 0 refused by both
