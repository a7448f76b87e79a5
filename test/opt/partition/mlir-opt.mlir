// mlir-opt accepts segments in the generic form.
// REQUIRES: mlir-opt
// RUN: mlgc opt %S/control-flow.mlir --partition=registry=%S/Inputs/accel.json --form=generic | mlir-opt --allow-unregistered-dialect --verify-roundtrip | FileCheck %s
// CHECK: "mlgc.segment"
