// See topological_order.h. A first walk finds the regions that are not sorted; only those get edges, and an order.
#include "ir/topological_order.h"

#include <algorithm>

#include "diag/kinds_verify.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

constexpr std::uint32_t kUnseen = 0xFFFFFFFF;
constexpr std::size_t kListed = 20;  // ops of a cycle that a message lists

}  // namespace

TopologicalOrder::TopologicalOrder(OpRef root, Needs needs)
    : module_(root.module()),
      depth_of_(module_.region_id_bound(), kUnseen),
      seen_(module_.op_id_bound()),
      place_(module_.op_id_bound()) {
  if (root != module_.top()) {
    sort_item(root, needs == Needs::All);
    return;
  }
  for (const OpRef item : module_.body().ops())
    if (item.region_count() > 0) sort_item(item, needs == Needs::All);
}

// Calls visit(op, needed, value) for each need inside the item, of two ops of one region or of an op that holds what
// needs it. An op is seen once it has been entered.
template <class Visit>
void TopologicalOrder::visit_needs(OpRef item, bool sizes, const Visit& visit) {
  IndexPool& index = module_.context().index();
  std::unordered_map<AtomId, OpRef> binders;
  if (sizes)
    walk(item, [&](OpRef op) {
      if (!op.has_trait(Traits::BindsSize)) return;
      for (const Value result : op.results())
        if (module_.context().types().is_shaped(result.type()) && result.rank() > 0)
          if (const auto size = index.as_atom(result.dims()[0])) binders.emplace(*size, op);
    });
  walk(item, [&](OpRef op) {
    for (const RegionRef region : op.regions())
      depth_of_[region.id().index()] = op == item ? 0 : depth_of_[op.parent().id().index()] + 1;
    if (op == item) return;
    const std::uint32_t depth = depth_of_[op.parent().id().index()];
    path_.resize(depth);
    path_.push_back(op);
    seen_[op.id().index()] = true;
    // The op around this one, or itself, that stands beside `other`.
    const auto beside = [&](OpRef other) {
      if (!other.parent().valid()) return OpRef();
      const std::uint32_t level = depth_of_[other.parent().id().index()];
      return level <= depth && path_[level].parent() == other.parent() ? path_[level] : OpRef();
    };
    for (const Value operand : op.operands()) {
      if (!operand.is_result()) continue;
      const OpRef definer = operand.definer();
      if (const OpRef holder = beside(definer); holder.valid()) visit(holder, definer, operand);
    }
    if (binders.empty()) return;
    const auto behind = [&](OpRef binder) {
      for (OpRef at = binder; at.valid() && at != item; at = at.parent_op())
        if (const OpRef holder = beside(at); holder.valid()) {
          if (holder != at) visit(holder, at, Value());
          return;
        }
    };
    const bool any = visit_mentioned_sizes(op, [&](IndexExpr e) {
      index.for_each_atom(e, [&](AtomId atom) {
        if (const auto found = binders.find(atom); found != binders.end()) behind(found->second);
      });
    });
    // An op with a formula may depend on any size: it stays after the ops that bound sizes before it.
    if (any)
      for (const auto& [atom, binder] : binders)
        if (seen_[binder.id().index()]) behind(binder);
  });
}

void TopologicalOrder::sort_item(OpRef item, bool sizes) {
  const std::size_t first = regions_.size();
  visit_needs(item, sizes, [&](OpRef op, OpRef needed, Value) {
    if (op != needed && seen_[needed.id().index()]) return;
    if (numbers_.emplace(op.parent().id(), regions_.size()).second) regions_.emplace_back().id = op.parent().id();
  });
  if (regions_.size() == first) return;
  for (std::size_t i = first; i < regions_.size(); ++i)
    for (const OpRef op : module_.region(regions_[i].id).ops()) {
      place_[op.id().index()] = static_cast<std::uint32_t>(regions_[i].before.size());
      regions_[i].before.push_back(op.id());
    }
  walk(item, [&](OpRef op) { seen_[op.id().index()] = false; });
  visit_needs(item, sizes, [&](OpRef op, OpRef needed, Value value) {
    const auto found = numbers_.find(op.parent().id());
    if (found == numbers_.end()) return;
    regions_[found->second].edges.push_back({place_[op.id().index()], place_[needed.id().index()], value.id()});
  });
  if (sizes) add_memory_edges(item, first);
  for (std::size_t i = first; i < regions_.size(); ++i) sort_region(regions_[i]);
}

void TopologicalOrder::add_memory_edges(OpRef item, std::size_t first) {
  constexpr Effects kMemory = Effects::Reads | Effects::Writes;
  std::unordered_map<OpId, Effects> touching;  // ops with those of what is inside of them
  walk(item, [&](OpRef op) {
    const Effects own = op.own_effects() & kMemory;
    if (own == Effects::None) return;
    for (OpRef at = op; at != item; at = at.parent_op()) {
      Effects& all = touching[at.id()];
      if (has(all, own)) return;  // and so have those around it
      all = all | own;
    }
  });
  if (touching.empty()) return;
  for (std::size_t r = first; r < regions_.size(); ++r) {
    Region& region = regions_[r];
    std::vector<std::uint32_t> readers;  // since the last writer
    std::uint32_t writer = kUnseen;
    for (std::uint32_t i = 0; i < region.before.size(); ++i) {
      const auto found = touching.find(region.before[i]);
      if (found == touching.end()) continue;
      if (writer != kUnseen) region.edges.push_back({i, writer, ValueId()});
      if (!has(found->second, Effects::Writes)) {
        readers.push_back(i);
        continue;
      }
      for (const std::uint32_t reader : readers) region.edges.push_back({i, reader, ValueId()});
      readers.clear();
      writer = i;
    }
  }
}

// Tarjan's strongly connected components from the first op to the last: one is complete when all that it needs is, so
// components come out in the order that is wanted.
void TopologicalOrder::sort_region(Region& region) {
  auto count = static_cast<std::uint32_t>(region.before.size());
  const bool ends = count > 0 && module_.op(region.before.back()).has_trait(Traits::Terminator);
  if (ends) --count;
  std::vector<std::uint32_t> first(region.before.size() + 1);  // of an op's edges
  for (const Edge& edge : region.edges) ++first[edge.op + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  {
    std::vector<Edge> by_op(region.edges.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const Edge& edge : region.edges) by_op[next[edge.op]++] = edge;
    region.edges = std::move(by_op);
  }
  std::vector<std::uint32_t> entered(count, kUnseen), lowest(count), knot_of(count, kUnseen), next(count);
  std::vector<std::uint32_t> open, waiting, members;
  std::uint32_t clock = 0, knots = 0;
  const auto enter = [&](std::uint32_t op) {
    entered[op] = lowest[op] = clock++;
    next[op] = first[op];
    open.push_back(op);
    waiting.push_back(op);
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (entered[start] == kUnseen) enter(start);
    while (!open.empty()) {
      const std::uint32_t op = open.back();
      if (next[op] < first[op + 1]) {
        const std::uint32_t needed = region.edges[next[op]++].needs;
        if (needed >= count) continue;
        if (entered[needed] == kUnseen)
          enter(needed);
        else if (knot_of[needed] == kUnseen)
          lowest[op] = std::min(lowest[op], entered[needed]);
        continue;
      }
      open.pop_back();
      if (!open.empty()) lowest[open.back()] = std::min(lowest[open.back()], lowest[op]);
      if (lowest[op] != entered[op]) continue;
      members.clear();
      do {
        members.push_back(waiting.back());
        knot_of[members.back()] = knots;
        waiting.pop_back();
      } while (members.back() != op);
      ++knots;
      region.after.push_back(region.before[op]);
      bool cyclic = members.size() > 1;
      for (std::uint32_t i = first[op]; i < first[op + 1]; ++i) cyclic = cyclic || region.edges[i].needs == op;
      if (!cyclic) continue;
      region.cyclic = true;
      note_cycle(region, first, knot_of, members);
    }
  }
  if (ends) region.after.push_back(region.before.back());
  region.edges = {};
}

// A shortest cycle through the first op of a knot.
void TopologicalOrder::note_cycle(const Region& region, const std::vector<std::uint32_t>& first,
                                  const std::vector<std::uint32_t>& knot_of,
                                  const std::vector<std::uint32_t>& members) {
  for (const std::uint32_t member : members) knots_.emplace(region.before[member], cycles_.size());
  const std::uint32_t start = *std::min_element(members.begin(), members.end());
  std::unordered_map<std::uint32_t, Edge> reached;  // by which edge
  std::vector<std::uint32_t> queue{start};
  for (std::size_t i = 0; i < queue.size() && !reached.contains(start); ++i)
    for (std::uint32_t e = first[queue[i]]; e < first[queue[i] + 1]; ++e) {
      const Edge& edge = region.edges[e];
      if (edge.needs >= knot_of.size() || knot_of[edge.needs] != knot_of[start]) continue;
      if (reached.emplace(edge.needs, edge).second) queue.push_back(edge.needs);
    }
  OrderCycle cycle;
  std::uint32_t at = start;
  do {
    const Edge& edge = reached.at(at);
    cycle.ops.push_back(module_.op(region.before[edge.op]));
    cycle.values.push_back(edge.value.valid() ? module_.value(edge.value) : Value());
    at = edge.op;
  } while (at != start);
  std::reverse(cycle.ops.begin(), cycle.ops.end());
  std::reverse(cycle.values.begin(), cycle.values.end());
  cycles_.push_back(std::move(cycle));
}

bool TopologicalOrder::in_one_cycle(OpRef a, OpRef b) const {
  const auto knot = knots_.find(a.id()), other = knots_.find(b.id());
  return knot != knots_.end() && other != knots_.end() && knot->second == other->second;
}

const std::vector<OpId>* TopologicalOrder::order_of(RegionRef region) const {
  const auto found = numbers_.find(region.id());
  return found == numbers_.end() || regions_[found->second].cyclic ? nullptr : &regions_[found->second].after;
}

std::size_t TopologicalOrder::apply() const {
  MLGC_ASSERT(cycles_.empty(), "ops in a cycle have no order");
  std::size_t moved = 0;
  for (const Region& region : regions_)
    for (std::size_t i = 0; i < region.after.size(); ++i) {
      if (region.after[i] != region.before[i]) ++moved;
      module_.op(region.after[i]).move_to_end(module_.region(region.id));
    }
  return moved;
}

Diagnostic report_cycle(const OrderCycle& cycle, const std::function<std::string(Value)>& name) {
  const auto quoted = [](std::string_view text) { return "`" + std::string(text) + "`"; };
  const auto of_value = [&](Value value) {
    const std::string text = name(value);
    return text.empty() ? "a result of " + quoted(value.definer().name()) : quoted(text);
  };
  const std::size_t count = cycle.ops.size();
  // An op goes by the result that is used of it.
  const auto of_op = [&](std::size_t i) {
    const Value used = cycle.values[(i + count - 1) % count];
    return used.valid() ? of_value(used) : quoted(cycle.ops[i].name());
  };
  std::string list;
  for (std::size_t i = 0; i < std::min(count, kListed); ++i)
    list += (i == 0 ? "" : ", ") + of_op(i) + (cycle.values[i].valid() ? " uses " : " stays after ") +
            of_op((i + 1) % count);
  if (count > kListed) list += ", and so on through " + std::to_string(count) + " ops";
  Diagnostic diagnostic = diagnose<kCyclicValues>(cycle.ops[0].location(), list);
  for (std::size_t i = 1; i < std::min(count, kListed); ++i)
    diagnostic.add_note<kInCycle>(cycle.ops[i].location(), of_op(i));
  return diagnostic;
}

}  // namespace mlgc
