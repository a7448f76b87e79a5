// See form_segments.h.
#include "partition/form_segments.h"

#include "analysis/isolate.h"

namespace mlgc {

std::size_t form_segments(Module& module, const Partitioning& partitioning, const Dependences& dependences,
                          std::string_view target, const std::function<bool(const PartitionSegment&)>& permit) {
  std::vector<IsolatedGroup> groups;
  for (const PartitionSegment& segment : partitioning.segments)
    if (!segment.existing.valid() && permit(segment))
      groups.push_back({segment.ops, segment.inputs, segment.outputs, segment.copies});
  gather_groups(module, groups, dependences);
  Context& context = module.context();
  const NamedAttribute attribute{context.strings().intern("target"), context.attributes().string(target)};
  const AttrDict attributes = context.attributes().dict(std::span(&attribute, 1));
  ValueMap formed;
  for (const IsolatedGroup& group : groups)
    (void)isolate_group(module, group, context.opcode(GraphOp::Segment), attributes, formed);
  return groups.size();
}

}  // namespace mlgc
