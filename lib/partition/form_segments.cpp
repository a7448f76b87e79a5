// See form_segments.h.
#include "partition/form_segments.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/clone.h"
#include "ir/walk.h"
#include "partition/convex_segments.h"

namespace mlgc {

namespace {

// `formed` has what stands now for values that segments formed before compute.
void form(Module& module, const PlannedSegment& planned, std::string_view target, ValueMap& formed) {
  Context& context = module.context();
  std::vector<Type> types;
  std::vector<Location> parts;
  for (const Value v : planned.outputs) types.push_back(v.type());
  // A fused location holds no more than kMaxFused.
  for (const OpRef op : planned.ops)
    if (parts.size() < kMaxFused) parts.push_back(op.location());
  const Location location = context.locations().fused(parts);
  const NamedAttribute attribute{context.strings().intern("target"), context.attributes().string(target)};
  std::vector<Value> operands;
  for (const Value input : planned.inputs) {
    const Value now = formed.find(input);
    operands.push_back(now.valid() ? now : input);
  }
  const OpRef segment = module.create(context.find_op("segment"), operands,
                                      context.attributes().dict(std::span(&attribute, 1)), types, location, 1);
  segment.move_before(planned.ops.front());
  const RegionRef body = segment.region();

  // What ops inside use, by what they used before. Results are replaced everywhere first, and inside put back.
  std::unordered_map<ValueId, Value> inside;
  for (const Value operand : operands) inside.emplace(operand.id(), body.add_argument(operand.type()));
  const std::vector<Value>& yielded = planned.outputs;
  for (std::size_t i = 0; i < yielded.size(); ++i) {
    yielded[i].replace_all_uses_with(segment.result(i));
    if (yielded[i].name_id().valid()) segment.result(i).set_name(yielded[i].name_id());
    inside.emplace(segment.result(i).id(), yielded[i]);
    formed.set(yielded[i], segment.result(i));
  }
  Builder builder(module, body);
  for (const OpRef op : planned.copies) inside.emplace(op.result().id(), clone(op, builder).result());
  for (const OpRef op : planned.ops) {
    op.move_to_end(body);
    walk(op, [&](OpRef inner) {
      for (std::size_t i = 0; i < inner.operand_count(); ++i)
        if (const auto found = inside.find(inner.operand(i).id()); found != inside.end())
          inner.set_operand(i, found->second);
    });
  }
  module.create(context.find_op("yield"), yielded, {}, {}, location).move_to_end(body);
  for (const OpRef op : planned.copies)
    if (op.results_unused()) op.erase();
}

}  // namespace

std::vector<std::uint32_t> order_by_segments(const RegionDependences& region,
                                             const std::vector<std::uint32_t>& segment_of, std::size_t segments) {
  // Depth first over what an op, or any op of its segment, depends on.
  const auto count = static_cast<std::uint32_t>(region.ops.size());
  // Units: an op alone, or a segment behind all ops.
  const auto unit = [&](std::uint32_t op) { return segment_of[op] == kNoSegment ? op : count + segment_of[op]; };
  std::vector<std::uint32_t> first(count + segments + 1), needs(region.edges.size());
  for (const auto& [from, to] : region.edges) ++first[unit(to) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const auto& [from, to] : region.edges) needs[next[unit(to)]++] = unit(from);
  std::vector<std::vector<std::uint32_t>> members(segments);
  std::vector<std::uint32_t> last(segments);
  for (std::uint32_t op = 0; op < count; ++op)
    if (segment_of[op] != kNoSegment) {
      members[segment_of[op]].push_back(op);
      last[segment_of[op]] = op;
    }

  std::vector<std::uint32_t> order;
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> marks(count + segments, Mark::New);
  next.assign(first.begin(), first.end() - 1);
  std::vector<std::uint32_t> stack;
  const auto emit = [&](std::uint32_t root) {
    if (marks[root] != Mark::New) return;
    marks[root] = Mark::Open;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      if (next[at] < first[at + 1]) {
        const std::uint32_t need = needs[next[at]++];
        if (need == at || marks[need] == Mark::Done) continue;
        MLGC_ASSERT(marks[need] == Mark::New, "segments wait for each other");
        marks[need] = Mark::Open;
        stack.push_back(need);
        continue;
      }
      if (at < count)
        order.push_back(at);
      else
        order.insert(order.end(), members[at - count].begin(), members[at - count].end());
      marks[at] = Mark::Done;
      stack.pop_back();
    }
  };
  for (std::uint32_t op = 0; op < count; ++op)
    if (segment_of[op] == kNoSegment || last[segment_of[op]] == op) emit(unit(op));
  return order;
}

std::size_t form_segments(Module& module, const PartitionPlan& plan, const Dependences& dependences,
                          std::string_view target, const std::function<bool(const PlannedSegment&)>& permit) {
  struct OfRegion {
    RegionRef region;
    std::vector<const PlannedSegment*> segments;
  };
  std::vector<OfRegion> regions;
  std::unordered_map<RegionId, std::size_t> region_index;
  for (const PlannedSegment& planned : plan.segments) {
    if (planned.existing.valid() || !permit(planned)) continue;
    const RegionRef region = planned.ops.front().parent();
    const auto [at, added] = region_index.emplace(region.id(), regions.size());
    if (added) regions.push_back({region, {}});
    regions[at->second].segments.push_back(&planned);
  }
  // All regions are put in order before anything is formed, while their ops still stand in them.
  for (const OfRegion& at : regions) {
    const RegionDependences& region = dependences.of(at.region);
    std::vector<std::uint32_t> segment_of(region.ops.size(), kNoSegment);
    for (std::size_t i = 0; i < at.segments.size(); ++i)
      for (const OpRef op : at.segments[i]->ops) segment_of[dependences.number(op)] = static_cast<std::uint32_t>(i);
    const OpRef end = at.region.terminator();
    for (const std::uint32_t i : order_by_segments(region, segment_of, at.segments.size())) {
      const OpRef op = module.op(region.ops[i]);
      if (end.valid())
        op.move_before(end);
      else
        op.move_to_end(at.region);
    }
  }
  std::size_t count = 0;
  ValueMap formed;
  for (const OfRegion& at : regions)
    for (const PlannedSegment* planned : at.segments) {
      form(module, *planned, target, formed);
      ++count;
    }
  return count;
}

void dissolve_segment(OpRef segment) {
  const RegionRef body = segment.region();
  for (std::size_t i = 0; i < segment.operand_count(); ++i) body.argument(i).replace_all_uses_with(segment.operand(i));
  const OpRef end = body.terminator();
  const std::vector<Value> results(end.operands().begin(), end.operands().end());
  end.erase();
  body.splice_before(segment);
  segment.replace_all_uses_with(results);
  segment.erase();
}

}  // namespace mlgc
