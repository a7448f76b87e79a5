// See fusion_patterns.h.
#include "fusion/fusion_patterns.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace mlgc {
namespace {

constexpr std::size_t kNamedInARow = 3;  // elementwise ops; more are counted

std::string pattern_text(const std::vector<OpRef>& ops) {
  std::string out;
  for (std::size_t i = 0; i < ops.size();) {
    std::size_t end = i;
    while (end < ops.size() && ops[end].has_trait(Traits::Elementwise)) ++end;
    const bool counted = end - i > kNamedInARow;
    if (!out.empty()) out += " + ";
    out += counted ? std::to_string(end - i) + " elementwise ops" : std::string(ops[i].name());
    i = counted ? end : i + 1;
  }
  return out;
}

// Values connect all of the kernel's ops, by way of copies too.
bool is_connected(const FusionGroup& kernel) {
  std::unordered_map<OpId, std::size_t> place;
  for (std::size_t i = 0; i < kernel.members.size(); ++i) place.emplace(kernel.members[i].op.id(), i);
  std::vector<std::size_t> parent(kernel.members.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t at) {
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  for (std::size_t i = 0; i < kernel.members.size(); ++i)
    for (const Value operand : kernel.members[i].op.operands())
      if (operand.is_result())
        if (const auto from = place.find(operand.definer().id()); from != place.end())
          parent[root(from->second)] = root(i);
  std::optional<std::size_t> only;
  for (std::size_t i = 0; i < kernel.members.size(); ++i) {
    if (kernel.members[i].copy) continue;
    if (only && *only != root(i)) return false;
    only = root(i);
  }
  return true;
}

// What several ops of a kernel read from memory, the kernel reads once.
IndexExpr shared_reads(const FusionGroup& kernel, Context& context) {
  std::unordered_map<ValueId, std::int64_t> readers;
  for (const FusionGroup::Member& member : kernel.members) {
    if (member.copy) continue;
    std::vector<Value> read;
    for (const Value operand : member.op.operands())
      if (std::find(read.begin(), read.end(), operand) == read.end()) read.push_back(operand);
    for (const Value operand : read) ++readers[operand.id()];
  }
  IndexPool& index = context.index();
  IndexExpr bytes = index.constant(0);
  for (const Value input : kernel.inputs)
    if (const auto at = readers.find(input.id()); at != readers.end() && at->second > 1)
      bytes = index.add(bytes, index.mul(index.constant(at->second - 1), context.storage_bytes(input.type())));
  return bytes;
}

}  // namespace

std::vector<FusionPattern> fusion_patterns(const FusionDecisions& decisions, const FusionRegion& region) {
  std::unordered_map<OpId, std::size_t> kernel_of;
  std::vector<std::vector<OpRef>> ops(region.kernel_count);
  Context* context = nullptr;
  for (std::size_t k = 0; k < region.kernel_count; ++k)
    for (const FusionGroup::Member& member : decisions.kernels[region.first_kernel + k].members) {
      context = &member.op.module().context();
      if (member.copy) continue;
      kernel_of.emplace(member.op.id(), k);
      ops[k].push_back(member.op);
    }
  std::vector<IndexExpr> saved(region.kernel_count);
  for (const FusionEdge& edge : std::span(decisions.edges).subspan(region.first_edge, region.edge_count))
    if (const auto at = kernel_of.find(edge.consumer.id()); is_fused(edge.reason) && at != kernel_of.end())
      saved[at->second] = context->index().add(saved[at->second], edge.bytes);
  std::vector<FusionPattern> out;
  std::map<std::pair<std::string, bool>, std::size_t> known;
  for (std::size_t k = 0; k < region.kernel_count; ++k) {
    if (ops[k].size() < 2) continue;
    std::string text = pattern_text(ops[k]);
    const bool horizontal = !is_connected(decisions.kernels[region.first_kernel + k]);
    const auto [at, fresh] = known.try_emplace({text, horizontal}, out.size());
    if (fresh) out.push_back({std::move(text), horizontal, 0, {}});
    FusionPattern& pattern = out[at->second];
    ++pattern.kernels;
    const IndexExpr shared = shared_reads(decisions.kernels[region.first_kernel + k], *context);
    pattern.saved = context->index().add(pattern.saved, context->index().add(saved[k], shared));
  }
  return out;
}

}  // namespace mlgc
