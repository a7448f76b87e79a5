// See dependences.h.
#include "analysis/dependences.h"

#include <map>
#include <unordered_map>

#include "ir/function.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

// The op of `region` that holds `op`, or is it; an invalid handle when there is none.
OpRef holder_in(OpRef op, RegionRef region) {
  while (op.valid() && !(op.parent() == region)) op = op.parent().valid() ? op.parent_op() : OpRef();
  return op;
}

}  // namespace

Dependences::Dependences(const Module& module) : regions_(module.region_id_bound()), numbers_(module.op_id_bound()) {
  const Context& context = module.context();
  constexpr Effects kMemory = Effects::Reads | Effects::Writes | Effects::Allocates;
  for (const FuncRef function : functions(module)) {
    std::map<AtomId, OpRef> binders;              // in an order of its own, so that edges have one
    std::unordered_map<RegionId, OpRef> touched;  // the last op of a region that touches memory
    const auto edge = [&](OpRef from, OpRef to) {
      if (from == to) return;
      regions_[from.parent().id().index()].edges.emplace_back(number(from), number(to));
    };
    // `op` must come after `before`, whichever regions they are in.
    const auto behind = [&](OpRef op, OpRef before) {
      for (; before.valid() && before != function.op(); before = before.parent_op())
        if (const OpRef holder = holder_in(op, before.parent()); holder.valid()) return edge(before, holder);
    };
    walk(function.op(), [&](OpRef op) {
      if (op == function.op()) return;
      const bool ends = op.has_trait(Traits::Terminator);
      if (!ends) {
        RegionDependences& region = regions_[op.parent().id().index()];
        numbers_[op.id().index()] = static_cast<std::uint32_t>(region.ops.size());
        region.ops.push_back(op.id());
      }
      for (const Value operand : op.operands()) {
        if (!operand.is_result()) continue;
        const OpRef definer = operand.definer();
        const OpRef holder = holder_in(op, definer.parent());
        if (holder.valid() && !holder.has_trait(Traits::Terminator)) edge(definer, holder);
      }
      if (ends) return;
      if (!binders.empty()) {
        const bool any = visit_mentioned_sizes(op, [&](IndexExpr e) {
          context.index().for_each_atom(e, [&](AtomId atom) {
            if (const auto found = binders.find(atom); found != binders.end()) behind(op, found->second);
          });
        });
        if (any)
          for (const auto& [atom, binder] : binders) behind(op, binder);
      }
      if (op.has_trait(Traits::BindsSize))
        for (const Value result : op.results())
          if (context.types().is_shaped(result.type()) && result.rank() > 0)
            if (const auto size = context.index().as_atom(result.dims()[0])) binders[*size] = op;
      if ((op.own_effects() & kMemory) != Effects::None)
        for (OpRef at = op; at != function.op(); at = at.parent_op()) {
          OpRef& last = touched[at.parent().id()];
          if (last.valid()) edge(last, at);
          last = at;
        }
    });
  }
}

}  // namespace mlgc
