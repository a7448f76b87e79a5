// See fusion_traffic.h.
#include "fusion/fusion_traffic.h"

#include <algorithm>

namespace mlgc {

FusionTraffic::FusionTraffic(Context& context, std::span<const FusionGroup> kernels) : context_(context) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const FusionGroup::Member& member : kernels[k].members) kernels_[member.op.id()].push_back(k);
    inputs_.emplace_back();
    for (const Value v : kernels[k].inputs) inputs_.back().insert(v.id());
    for (const Value v : kernels[k].outputs) outputs_.insert(v.id());
  }
}

IndexExpr FusionTraffic::bytes_of(const FusionEdge& edge, Value base) {
  IndexPool& index = context_.index();
  IndexExpr bytes = index.constant(0);
  const Value v = edge.consumer.operand(edge.operand);
  const auto readers = kernels_.find(edge.consumer.id());
  if (readers == kernels_.end()) return bytes;
  const bool loads = std::any_of(readers->second.begin(), readers->second.end(),
                                 [&](std::size_t k) { return inputs_[k].contains(v.id()); });
  const bool fused = is_fused(edge.reason);
  const IndexExpr own = context_.storage_bytes(v.type());
  if (fused != loads) bytes = index.add(bytes, own);
  const bool computed = kernels_.contains(edge.producer.id());
  const bool writes = fused ? computed && !outputs_.contains(base.id()) && saved_.insert(base.id()).second
                            : computed && v.has_one_use();
  return writes ? index.add(bytes, own) : bytes;
}

}  // namespace mlgc
