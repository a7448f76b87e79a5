// What a loop function costs: bytes of its buffers, and operations on floats, as expressions over its symbols.
#pragma once

#include <optional>
#include <string>

#include "ir/module.h"

namespace mlgc::codegen {

struct LoopCost {
  // Of the arguments that it reads, and of those that it writes, each once. An argument that is looked up counts whole.
  IndexExpr read_bytes, written_bytes;
  // Additions, products, comparisons and choices of floats count one, functions what ScalarFnInfo::cost says. Both arms
  // of a branch count. Nothing where a loop's bounds depend on data.
  std::optional<IndexExpr> flops;

  // `4*B + 16 bytes read, 4*B written, 12*B FLOPs`.
  [[nodiscard]] std::string print(const IndexPool& pool) const;
};

// Operations on floats that the op does once, without those in its regions; counted as `flops` are.
[[nodiscard]] std::int64_t float_operations(OpRef op);

// Loops over tiles count what they have together, up to where the last one ends. Other loops whose bounds depend on an
// index of those around them count with the mean of that index, rounded up.
[[nodiscard]] LoopCost loop_cost(OpRef func);

}  // namespace mlgc::codegen
