#include "codegen/emitter/lane_scope.h"

namespace mlgc::codegen {
// Which values inside of the loop differ between its iterations: to a fixed point, since inner loops carry values.
void LaneScope::find_varying(ForRef vector_loop) {
  varying_.clear();
  varying_.insert(vector_loop.index().id());
  for (std::size_t i = 0; i < vector_loop.carried_count(); ++i) varying_.insert(vector_loop.carried(i).id());
  while (mark(vector_loop.body())) {
  }
}

bool LaneScope::mark(RegionRef r) {
  bool changed = false;
  const auto add = [&](Value v) { changed = varying_.insert(v.id()).second || changed; };
  const auto varies = [&](Value v) { return varying_.contains(v.id()); };
  for (const OpRef op : r.ops()) {
    bool any = false;
    for (const Value v : op.operands()) any = any || varies(v);
    if (const auto store = StoreRef::from(op);
        store.valid() && any && types_.scope(store.buffer().type()) == Scope::Register)
      add(store.buffer());
    if (op.is(LoopOp::For)) {
      const ForRef loop = ForRef::from(op);
      bool bounds = false;
      for (std::size_t i = 0; i + loop.carried_count() < op.operand_count(); ++i)
        bounds = bounds || varies(op.operand(i));
      for (std::size_t i = 0; i < loop.carried_count(); ++i) {
        const Value next = loop.body().terminator().operand(i);
        if (!bounds && !varies(loop.initial(i)) && !varies(next)) continue;
        add(loop.carried(i));
        add(op.result(i));
      }
      changed = mark(loop.body()) || changed;
      continue;
    }
    if (op.is(LoopOp::If)) {
      for (std::size_t a = 0; a < op.region_count(); ++a) changed = mark(op.region(a)) || changed;
      for (std::size_t i = 0; i < op.result_count(); ++i) {
        bool value = varies(op.operand(0));
        for (std::size_t a = 0; a < op.region_count(); ++a)
          value = value || varies(op.region(a).terminator().operand(i));
        if (value) add(op.result(i));
      }
      continue;
    }
    if (any)
      for (const Value v : op.results()) add(v);
  }
  return changed;
}

SourceText LaneScope::mask_or_all() const {
  if (!mask.empty()) return mask;
  return hooks_.first_lanes(strip->lanes, std::to_string(strip->lanes));
}

void LaneScope::leave() {
  strip.reset();
  varying_.clear();
}

}  // namespace mlgc::codegen
