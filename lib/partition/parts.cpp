// Regions cut into segments and what lies between them; see partitioning.h.
#include <unordered_map>

#include "analysis/isolate.h"
#include "ir/function.h"
#include "partition/convex_segments.h"
#include "partition/partitioning.h"

namespace mlgc {

std::vector<PartitionedRegion> partitioned_regions(const Module& module, const Partitioning& partitioning,
                                                   const Dependences& dependences) {
  std::unordered_map<OpId, std::size_t> outside, inside;
  for (std::size_t i = 0; i < partitioning.outside.size(); ++i) outside.emplace(partitioning.outside[i].op.id(), i);
  for (std::size_t i = 0; i < partitioning.segments.size(); ++i) {
    if (partitioning.segments[i].existing.valid()) inside.emplace(partitioning.segments[i].existing.id(), i);
    for (const OpRef op : partitioning.segments[i].ops) inside.emplace(op.id(), i);
  }
  std::vector<PartitionedRegion> out;
  const auto cut = [&](RegionRef region) {
    const RegionDependences& all = dependences.of(region);
    // Segments of this region, numbered as they are met.
    std::unordered_map<std::size_t, std::uint32_t> local;
    std::vector<std::uint32_t> segment_of;
    for (const OpId id : all.ops) {
      const auto found = inside.find(id);
      segment_of.push_back(found == inside.end()
                               ? kNoSegment
                               : local.emplace(found->second, static_cast<std::uint32_t>(local.size())).first->second);
    }
    PartitionedRegion cut_region{region, {}};
    std::vector<PartitionedRegion::Part>& parts = cut_region.parts;
    for (const std::uint32_t i : order_by_groups(all, segment_of, local.size())) {
      const auto segment = inside.find(all.ops[i]);
      const auto alone = outside.find(all.ops[i]);
      if (segment != inside.end()) {
        if (parts.empty() || parts.back().segment != segment->second) parts.push_back({segment->second, {}});
      } else if (alone != outside.end()) {
        if (parts.empty() || parts.back().segment) parts.push_back({});
        parts.back().outside.push_back(alone->second);
      }
    }
    if (!parts.empty()) out.push_back(std::move(cut_region));
  };
  for (const FuncRef function : functions(module)) {
    std::vector<RegionRef> open{function.body()};
    while (!open.empty()) {
      const RegionRef region = open.back();
      open.pop_back();
      cut(region);
      std::vector<RegionRef> inner;
      for (const OpRef op : region.ops())
        if (op.has_trait(Traits::CapturesRegion) && !inside.contains(op.id()))
          for (const RegionRef r : op.regions()) inner.push_back(r);
      open.insert(open.end(), inner.rbegin(), inner.rend());
    }
  }
  return out;
}

}  // namespace mlgc
