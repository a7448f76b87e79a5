// Which ops of a module become one kernel each, and why the others stay apart.
//
// Guarantees
//   - Every op with a formula is in one kernel; the others, and views that change no element's place in memory, are in
//     none. Each region of a function is decided by itself.
//   - What moves elements (permute, slice, expand, cat …), constants with equal elements and sizes are copied into each
//     kernel that reads them, as index arithmetic; they are kernels of their own only where somebody needs them whole.
//   - Running kernels in an order that follows their values is possible: each has a depth, larger than that of every
//     kernel that it reads.
//   - Every use of an op's result by another op that is not a terminator has one edge with a verdict; weights,
//     constants and sizes are given: they have no edges.
//   - Depends on the module and the options alone. Linear in the ops, times the size of a kernel (at most max_ops).
//
// How: ops are taken in program order, and each tries to join the kernel of one of its operands, the deepest first;
// then kernels of equal depth that read the same operand try to be one. A try is adding to a copy of the KernelFormula
// and a look at its shape, which equal kernels share; the rules are FusionReason's.
//
// Two other designs were weighed (docs/fusion.md): dominator-tree grouping of op patterns (TVM) decides by op classes,
// so that what fuses depends on how an op is named; merging scored pairs of a global heap (Inductor) is quadratic in
// the nodes that share a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fusion/fusion_reason.h"
#include "fusion/kernel_formula.h"
#include "ir/module.h"

namespace mlgc {

struct FusionEdge {
  OpRef producer, consumer;
  std::size_t operand = 0;  // of the consumer
  FusionReason reason = FusionReason::NoKernel;
  // Fused: what is not read from memory any more, and not written, which counts at the first such use. Apart: what the
  // reader reads, and what is written where it is the only use. 0 where no kernel reads, and for views.
  IndexExpr bytes;
};

struct FusionGroup {
  struct Member {
    OpRef op;
    bool copy = false;  // the kernel gets a copy of it
  };
  std::vector<Member> members;  // in an order in which each follows what it reads
  std::vector<Value> inputs;    // in the order of their first use
  std::vector<Value> outputs;   // in the order of the members
  KernelShape shape;
  IndexExpr operations;                        // formula_operations()
  IndexExpr bytes;                             // of inputs and outputs, each once
  [[nodiscard]] std::size_t op_count() const;  // without copies
};

struct FusionOptions {
  std::size_t max_ops = 64;
  std::int64_t row_bytes = std::int64_t{256} * 1024;  // what a row may keep for later steps
  // What passes between kernels, from which on they become one that keeps tiles of it (join_tiles.h); 0: never.
  std::int64_t tile_bytes = std::int64_t{1024} * 1024;
  // What a contraction reads is in memory: matrix units take tiles from there. Else what is cheap is computed where a
  // contraction reads it, and a join of tensors is a choice for each element. A kernel of several contractions stores
  // the rows of its result in another order, if that is all that is done with it.
  bool factors_in_memory = false;
};

// A region of a function, decided by itself.
struct FusionRegion {
  RegionRef region;
  std::size_t first_kernel = 0, kernel_count = 0;  // of FusionDecisions::kernels, in the order of their first ops
  std::size_t first_edge = 0, edge_count = 0;      // of FusionDecisions::edges, in program order of the consumers
  std::size_t views = 0;                           // ops that need no kernel
  std::size_t others = 0;  // ops that are not kernels: hooks, control flow, calls, fusions that are there
  // What it would take to run each op by itself: views cost nothing there either.
  std::size_t kernels_alone = 0;
  IndexExpr bytes_alone;
};

struct FusionDecisions {
  std::vector<FusionGroup> kernels;  // of all regions
  std::vector<FusionEdge> edges;
  std::vector<FusionRegion> regions;  // functions in program order, each followed by the regions inside
};

// Every function of the module; what already is inside of `fusion` and `segment` is left alone.
[[nodiscard]] FusionDecisions decide_fusion(const Module& module, const FusionOptions& options);

}  // namespace mlgc
