// A function with gradients, seen as two parts: forward, up to the last op that its results need, and backward, the
// rest. What backward reads of forward is saved for it, or recomputed. This file has the sizes and costs for the
// decision.
//
// Guarantees
//   - Only ops of the function's own region count; what stands in their regions belongs to them.
//   - Sizes that are symbols count as typical_size() says. Linear in the ops, beside deciding fusion twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/function.h"

namespace mlgc {

// How many operations of a kernel take as long as moving a byte to or from memory. Only the order of choices depends on
// it.
inline constexpr double kOperationsForByte = 8;

// What computing an op again amounts to.
enum class RecomputeKind : std::uint8_t {
  Given,        // constants, sizes, reads of weights and states: there without being kept
  Moves,        // moves elements: index arithmetic where they are read
  Elementwise,  // becomes part of the kernel that reads it
  Reduction,    // one more pass over its operands
  Contraction,  // products, convolutions, scatters: the expensive ones
  Never,        // has effects or regions, binds a size, or has no formula
};

struct ForwardOp {
  OpRef op;
  RecomputeKind kind = RecomputeKind::Never;
  // The time of computing it again, in that of moving a byte to or from memory.
  double cost = 0;
};

struct ForwardPart {
  FuncRef function;
  std::vector<ForwardOp> ops;                         // in program order
  std::unordered_map<OpId, std::uint32_t> number_of;  // of forward ops
  std::vector<OpRef> backward;                        // in program order, without the terminator
  std::vector<Value> read;                            // results of forward ops that backward reads, each once
  std::unordered_set<ValueId> written_anyway;         // values that later kernels of forward itself read from memory
};

// `results`: how many of the function's results, the first ones, are not gradients. Precondition: there are as many.
[[nodiscard]] ForwardPart forward_part(FuncRef function, std::size_t results);

// The same of a snapshot of the module, in which the ops have their ids. Precondition: `snapshot` is one.
[[nodiscard]] ForwardPart in_snapshot(const ForwardPart& part, Module& snapshot);

}  // namespace mlgc
