// separate-sums: reductions that stand side by side in a nest, and that nothing reads together, get a nest each.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/in_place.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "schedule/contraction.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

class SeparateSums {
 public:
  explicit SeparateSums(OpRef nest) : module_(nest.module()), nest_(nest) {
    for (OpRef at = nest; at.valid() && ForRef::from(at).carried_count() == 0; at = only_loop_in(at)) innermost_ = at;
  }

  TransformResult check() {
    const ForRef nest = ForRef::from(nest_);
    if (auto may = expect_no_carried(nest); !may) return may;
    if (auto may = expect_plain(nest); !may) return may;
    const std::string name(index_name(nest));
    if (ProgramEnds().may_end(nest_)) return refuse<kScheduleMayAbort>("the loop over `%" + name + "`");
    std::vector<OpRef> stores;
    for (const OpRef op : innermost_.region(0).ops()) {
      const bool computes =
          (op.region_count() == 0 && only_computes(op)) || op.is(LoopOp::Load) || ForRef::from(op).valid();
      if (op.is(LoopOp::Store))
        stores.push_back(op);
      else if (op != innermost_.region(0).terminator() && !computes)
        return refuse<kScheduleUnsupportedOp>(name, op.name(), "moved to a nest of its own");
    }
    for (const OpRef store : stores) add(store);
    if (groups_.size() < 2) return refuse<kScheduleNothingToDo>("separate", "no two reductions are independent");
    return check_order();
  }

  void run() {
    Builder builder(module_);
    OpRef behind = nest_;
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      builder.set_after(behind);
      ValueMap map;
      behind = clone(nest_, builder, map);
      walk(behind, [&](OpRef op) {
        const ForRef copy = ForRef::from(op);
        if (copy.valid() && !copy.index().name().empty())
          copy.index().set_name(fresh_name(nest_, std::string(copy.index().name()) + "_" + std::to_string(g + 1)));
      });
      std::vector<OpRef> from(innermost_.region(0).ops().begin(), innermost_.region(0).ops().end());
      OpRef inside = behind;
      for (OpRef at = nest_; at != innermost_; at = only_loop_in(at)) inside = only_loop_in(inside);
      std::vector<OpRef> copies;
      for (const OpRef op : inside.region(0).ops()) copies.push_back(op);
      for (std::size_t i = from.size(); i-- > 0;)
        if (!groups_[g].contains(from[i].id()) && from[i] != innermost_.region(0).terminator()) copies[i].erase();
    }
    std::vector<OpRef> ops;
    for (const OpRef op : innermost_.region(0).ops()) ops.push_back(op);
    for (std::size_t i = ops.size(); i-- > 0;)
      if (!groups_[0].contains(ops[i].id()) && ops[i] != innermost_.region(0).terminator()) ops[i].erase();
  }

 private:
  // What the store needs of the body, which is the group of another one where both need a reduction.
  void add(OpRef store) {
    std::unordered_set<OpId> slice;
    std::vector<OpRef> open{store};
    while (!open.empty()) {
      const OpRef op = open.back();
      open.pop_back();
      if (!slice.insert(op.id()).second) continue;
      walk(op, [&](OpRef inner) {
        for (const Value v : inner.operands())
          if (v.is_result() && v.scope() == innermost_.region(0)) open.push_back(v.definer());
      });
    }
    std::vector<std::size_t> shared;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const OpRef op : innermost_.region(0).ops())
        if (ForRef::from(op).valid() && slice.contains(op.id()) && groups_[g].contains(op.id())) {
          shared.push_back(g);
          break;
        }
    const bool reduces = [&] {
      for (const OpRef op : innermost_.region(0).ops())
        if (ForRef::from(op).valid() && slice.contains(op.id())) return true;
      return false;
    }();
    // What only computes goes with the nest in front.
    if (!reduces && !groups_.empty()) shared = {groups_.size() - 1};
    if (shared.empty()) {
      groups_.push_back(std::move(slice));
      return;
    }
    for (std::size_t i = shared.size(); i-- > 1;) {
      groups_[shared[0]].insert(groups_[shared[i]].begin(), groups_[shared[i]].end());
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(shared[i]));
    }
    groups_[shared[0]].insert(slice.begin(), slice.end());
  }

  // No group touches what another one writes.
  [[nodiscard]] TransformResult check_order() const {
    std::vector<std::unordered_set<ValueId>> reads(groups_.size()), writes(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const OpRef op : innermost_.region(0).ops()) {
        if (!groups_[g].contains(op.id())) continue;
        walk(op, [&](OpRef inner) {
          if (loaded_buffer(inner).valid()) reads[g].insert(underlying_buffer(loaded_buffer(inner)).id());
          for_each_written(inner, [&](Value v) { writes[g].insert(underlying_buffer(v).id()); });
        });
      }
    for (std::size_t a = 0; a < groups_.size(); ++a)
      for (std::size_t b = 0; b < groups_.size(); ++b)
        for (const ValueId v : writes[a])
          if (a != b && (reads[b].contains(v) || writes[b].contains(v)))
            return refuse<kScheduleReordersMemory>(index_name(ForRef::from(nest_)),
                                                   "a reduction touches what is written after another one");
    return {};
  }

  Module& module_;
  OpRef nest_, innermost_;
  std::vector<std::unordered_set<OpId>> groups_;  // ops of the innermost body, by nest
};

}  // namespace

TransformResult separate_sums(OpRef nest) {
  MLGC_ASSERT(ForRef::from(nest).valid(), "separate_sums: no loop");
  SeparateSums step(nest);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
