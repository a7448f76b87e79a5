// Private to lib/fusion: what kernels of a region read from memory and write to it.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fusion/decide_fusion.h"
#include "ir/module.h"

namespace mlgc {

class FusionTraffic {
 public:
  FusionTraffic(Context& context, std::span<const FusionGroup> kernels);

  // The bytes that the edge saves, or that it costs where it is not fused. `base` is what its value is a view of, or
  // the value. What is written once is counted for the first edge that asks.
  [[nodiscard]] IndexExpr bytes_of(const FusionEdge& edge, Value base);

 private:
  Context& context_;
  std::unordered_map<OpId, std::vector<std::size_t>> kernels_;  // that an op, or a copy of it, is in
  std::vector<std::unordered_set<ValueId>> inputs_;             // by kernel
  std::unordered_set<ValueId> outputs_, saved_;                 // saved: an edge has it
};

}  // namespace mlgc
