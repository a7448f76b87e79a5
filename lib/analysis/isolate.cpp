// See isolate.h.
#include "analysis/isolate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/walk.h"
#include "support/result.h"

namespace mlgc {

std::vector<std::uint32_t> order_by_groups(const RegionDependences& region, const std::vector<std::uint32_t>& group_of,
                                           std::size_t groups) {
  // Depth first over what an op, or any op of its group, depends on.
  const auto count = static_cast<std::uint32_t>(region.ops.size());
  // Units: an op alone, or a group, numbered after all ops.
  const auto unit = [&](std::uint32_t op) { return group_of[op] == kNoGroup ? op : count + group_of[op]; };
  std::vector<std::uint32_t> first(count + groups + 1), needs(region.edges.size());
  for (const auto& [from, to] : region.edges) ++first[unit(to) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const auto& [from, to] : region.edges) needs[next[unit(to)]++] = unit(from);
  std::vector<std::vector<std::uint32_t>> members(groups);
  std::vector<std::uint32_t> last(groups);
  for (std::uint32_t op = 0; op < count; ++op)
    if (group_of[op] != kNoGroup) {
      members[group_of[op]].push_back(op);
      last[group_of[op]] = op;
    }

  std::vector<std::uint32_t> order;
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> marks(count + groups, Mark::New);
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
        MLGC_ASSERT(marks[need] == Mark::New, "groups wait for each other");
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
    if (group_of[op] == kNoGroup || last[group_of[op]] == op) emit(unit(op));
  return order;
}

void gather_groups(Module& module, const std::vector<IsolatedGroup>& groups, const Dependences& dependences) {
  struct OfRegion {
    RegionRef region;
    std::vector<const IsolatedGroup*> groups;
  };
  std::vector<OfRegion> regions;
  std::unordered_map<RegionId, std::size_t> region_index;
  for (const IsolatedGroup& group : groups) {
    const RegionRef region = group.ops.front().parent();
    const auto [at, added] = region_index.emplace(region.id(), regions.size());
    if (added) regions.push_back({region, {}});
    regions[at->second].groups.push_back(&group);
  }
  // Their dependences are those of a time when all ops stand where they stood.
  for (const OfRegion& at : regions) {
    const RegionDependences& region = dependences.of(at.region);
    std::vector<std::uint32_t> group_of(region.ops.size(), kNoGroup);
    for (std::size_t i = 0; i < at.groups.size(); ++i)
      for (const OpRef op : at.groups[i]->ops) group_of[dependences.number(op)] = static_cast<std::uint32_t>(i);
    const OpRef end = at.region.terminator();
    for (const std::uint32_t i : order_by_groups(region, group_of, at.groups.size())) {
      const OpRef op = module.op(region.ops[i]);
      if (end.valid())
        op.move_before(end);
      else
        op.move_to_end(at.region);
    }
  }
}

OpRef isolate_group(Module& module, const IsolatedGroup& group, Opcode opcode, AttrDict attributes,
                    ValueMap& isolated) {
  Context& context = module.context();
  std::vector<Type> types;
  std::vector<Location> parts;
  for (const Value v : group.outputs) types.push_back(v.type());
  // A fused location holds no more than kMaxFused.
  for (const OpRef op : group.ops)
    if (parts.size() < kMaxFused) parts.push_back(op.location());
  const Location location = context.locations().fused(parts);
  std::vector<Value> operands;
  for (const Value input : group.inputs) {
    const Value now = isolated.find(input);
    operands.push_back(now.valid() ? now : input);
  }
  const OpRef made = module.create(opcode, operands, attributes, types, location, 1);
  made.move_before(group.ops.front());
  const RegionRef body = made.region();

  // What ops inside use, by what they used before. Results are replaced everywhere first, and inside put back.
  std::unordered_map<ValueId, Value> inside;
  for (const Value operand : operands) inside.emplace(operand.id(), body.add_argument(operand.type()));
  const std::vector<Value>& yielded = group.outputs;
  for (std::size_t i = 0; i < yielded.size(); ++i) {
    yielded[i].replace_all_uses_with(made.result(i));
    if (yielded[i].name_id().valid()) made.result(i).set_name(yielded[i].name_id());
    inside.emplace(made.result(i).id(), yielded[i]);
    isolated.set(yielded[i], made.result(i));
  }
  Builder builder(module, body);
  for (const OpRef op : group.copies) inside.emplace(op.result().id(), clone(op, builder).result());
  for (const OpRef op : group.ops) {
    op.move_to_end(body);
    walk(op, [&](OpRef inner) {
      for (std::size_t i = 0; i < inner.operand_count(); ++i)
        if (const auto found = inside.find(inner.operand(i).id()); found != inside.end())
          inner.set_operand(i, found->second);
    });
  }
  module.create(context.opcode(GraphOp::Yield), yielded, {}, {}, location).move_to_end(body);
  for (const OpRef op : group.copies)
    if (op.results_unused()) op.erase();
  return made;
}

void dissolve_isolated(OpRef op) {
  const RegionRef body = op.region();
  for (std::size_t i = 0; i < op.operand_count(); ++i) body.argument(i).replace_all_uses_with(op.operand(i));
  const OpRef end = body.terminator();
  const std::vector<Value> results(end.operands().begin(), end.operands().end());
  // A result keeps its name, unless what is given for it had one before.
  std::unordered_set<ValueId> named;
  for (const Value operand : op.operands()) named.insert(operand.id());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!op.result(i).name().empty() && named.insert(results[i].id()).second) results[i].set_name(op.result(i).name());
  end.erase();
  body.splice_before(op);
  op.replace_all_uses_with(results);
  op.erase();
}

}  // namespace mlgc
