// Private to lib/fusion: the edges of a region, each with the first reason that is found.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "fusion/decide_fusion.h"
#include "ir/module.h"

namespace mlgc {

class FusionEdges {
 public:
  // What is given is no product of another op, and has no edge.
  void note(OpRef consumer, std::size_t operand, FusionReason reason, IndexExpr no_bytes) {
    const Value v = consumer.operand(operand);
    if (!v.is_result() || v.definer().is(GraphOp::Read) || v.definer().is(GraphOp::Constant) ||
        v.definer().is(GraphOp::Dim))
      return;
    edges_.try_emplace({consumer.id().value, operand}, FusionEdge{v.definer(), consumer, operand, reason, no_bytes});
  }
  // Null where none is noted.
  [[nodiscard]] const FusionEdge* find(OpRef consumer, std::size_t operand) const {
    const auto edge = edges_.find({consumer.id().value, operand});
    return edge == edges_.end() ? nullptr : &edge->second;
  }
  void clear() { edges_.clear(); }

 private:
  std::map<std::pair<std::uint32_t, std::size_t>, FusionEdge> edges_;  // by consumer and operand
};

}  // namespace mlgc
