// Which ops of a module become one kernel each, and why the others stay apart.
//
// Guarantees
//   - Every op with a formula is in one kernel; the others, and views that change no element's place in memory, are in
//     none. Each region of a function is planned by itself.
//   - What moves elements (permute, slice, expand, cat …), constants with equal elements and sizes are copied into each
//     kernel that reads them, as index arithmetic; they are kernels of their own only where somebody needs them whole.
//   - Running kernels in an order that follows their values is possible: each has a depth, larger than that of every
//     kernel that it reads.
//   - Every use of an op's result by another op that is no terminator has one edge with a verdict; weights, constants
//   and
//     sizes are given, and are nobody's results.
//   - Depends on the module and the options alone. Linear in the ops, times the size of a kernel (at most max_ops).
//
// How: ops are taken in program order, and each tries to join the kernel of one of its operands, the deepest first;
// then kernels of equal depth that read the same operand try to be one. A try is adding to a copy of the KernelFormula
// and a look at its shape; the rules are FusionReason's.
//
// Two other designs were weighed (docs/fusion.md): dominator-tree grouping of op patterns (TVM) decides by op classes,
// so that what fuses depends on how an op is named; merging scored pairs of a global heap (Inductor) is quadratic in
// the nodes that share a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fusion/kernel_formula.h"
#include "ir/module.h"

namespace mlgc {

enum class FusionReason : std::uint8_t {
  // Together:
  Element,   // the reader needs the element that was just computed
  Reduced,   // the reader reduces rows that were just computed
  Epilogue,  // behind a contraction, on its element
  Movement,  // one of the two only moves elements: index arithmetic in the other
  View,      // elements stay where they are: no kernel, no copy
  // Apart:
  NoKernel,     // one of the two is no kernel: control flow, a hook, a call
  Region,       // they stand in different regions, of which one may run never, or many times
  Cycle,        // between the two stands another kernel that needs one and is needed by the other
  Contraction,  // a contraction uses its operand many times, or somebody needs whole rows of its result
  Scatter,      // a scatter is complete only when all of it has run
  Rows,         // together they would have too few rows to share among threads
  RowMemory,    // what a row keeps for later steps does not fit in cache
  Repeated,     // it would be computed again for each element of another dim
  Limit,        // the kernel has max-ops ops
};
[[nodiscard]] std::string_view fusion_reason_name(FusionReason reason);    // kebab-case
[[nodiscard]] std::string_view fusion_reason_text(FusionReason reason);    // one sentence
[[nodiscard]] std::string_view fusion_reason_remedy(FusionReason reason);  // what would unblock it; empty: nothing
[[nodiscard]] bool is_fused(FusionReason reason);

struct FusionEdge {
  OpRef producer, consumer;
  std::size_t operand = 0;  // of the consumer
  FusionReason reason = FusionReason::NoKernel;
};

struct PlannedKernel {
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
  std::int64_t row_bytes = 256 * 1024;  // what a row may keep for later steps
};

struct FusionPlan {
  std::vector<PlannedKernel> kernels;  // in the order of their first ops
  std::vector<FusionEdge> edges;       // in program order of the consumers
  std::size_t views = 0;               // ops that need no kernel
  std::size_t others = 0;              // ops that are no kernels: hooks, control flow, calls
};

// Every function of the module; what already is inside of `fusion` and `segment` is left alone.
[[nodiscard]] FusionPlan plan_fusion(const Module& module, const FusionOptions& options);

// A number to stand for a size where one is needed to judge: itself, where it is constant; a symbol counts as 64,
// or as the nearest bound that its function states.
[[nodiscard]] double typical_size(const IndexPool& index, IndexExpr size, const Facts& facts);

}  // namespace mlgc
