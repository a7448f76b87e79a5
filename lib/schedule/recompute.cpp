// recompute: what loads of scratch give is computed again where they stand (rematerialisation).
//
//     %s = alloc  for (%i) { store f(%x[%i]), %s[%i] }  for (%j) { load %s[%j] }
// becomes
//     for (%j) { f(load %x[%j]) }
#include <algorithm>
#include <ranges>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

class Recompute {
 public:
  explicit Recompute(OpRef alloc) : module_(alloc.module()), alloc_(alloc), name_(alloc.result().name()) {}

  TransformResult check() {
    const OpRef around = alloc_.parent_op();
    if (!ForRef::from(around).valid())
      return refuse<kScheduleBuffer>(std::string_view(name_), "it is not scratch of an iteration");
    for (const OpRef user : alloc_.result().users()) {
      const AccessRef access = AccessRef::from(user);
      if (!access.valid() || access.buffer() != alloc_.result() || access.checked())
        return refuse<kScheduleBuffer>(std::string_view(name_), "it is not only loaded and stored");
      if (user.is(LoopOp::Load)) {
        loads_.push_back(user);
        continue;
      }
      if (store_.valid())
        return refuse<kScheduleBuffer>(std::string_view(name_), "it is stored in more than one place");
      store_ = user;
    }
    if (!store_.valid() || loads_.empty())
      return refuse<kScheduleBuffer>(std::string_view(name_), "it is not both loaded and stored");
    if (auto may = check_store(); !may) return may;
    if (auto may = check_loads(); !may) return may;
    walk(around, [&](OpRef op) { for_each_written(op, [&](Value v) { written_.insert(underlying_buffer(v).id()); }); });
    return collect(StoreRef::from(store_).value());
  }

  void run() {
    for (const OpRef load : loads_) {
      Builder builder(module_);
      builder.set_before(load);
      ValueMap map;
      const auto at = indices_of(load);
      for (std::size_t i = 0; i < loops_.size(); ++i) map.set(ForRef::from(loops_[i]).index(), at[i]);
      for (const OpRef op : slice_) clone(op, builder, map);
      const Value value = StoreRef::from(store_).value(), made = map.find(value);
      load.result().replace_all_uses_with(made.valid() ? made : value);
      load.erase();
    }
    store_.erase();
    for (const OpRef op : std::views::reverse(slice_))
      if (std::all_of(op.results().begin(), op.results().end(), [](Value v) { return v.uses().empty(); })) op.erase();
    alloc_.erase();
    for (const OpRef loop : std::views::reverse(loops_)) {
      const bool does_nothing = std::all_of(loop.region(0).ops().begin(), loop.region(0).ops().end(),
                                            [](OpRef op) { return op.region_count() == 0 && only_computes(op); });
      if (loop.result_count() > 0 || !does_nothing) break;
      loop.erase();
    }
  }

 private:
  // One store at the indices of all loops around it, which run it in each iteration.
  TransformResult check_store() {
    for (OpRef at = store_; at.parent() != alloc_.parent(); at = at.parent_op()) {
      const OpRef loop = at.parent_op();
      if (!ForRef::from(loop).valid())
        return refuse<kScheduleBuffer>(std::string_view(name_), "it is stored in a branch");
      if (ForRef::from(loop).kind() == LoopKind::Vector)
        return refuse<kScheduleBuffer>(std::string_view(name_), "it is stored in lanes");
      loops_.insert(loops_.begin(), loop);
    }
    const auto subscripts = subscripts_over_values(store_);
    for (const OpRef loop : loops_) {
      const auto found = std::find(subscripts.begin(), subscripts.end(), of_value(ForRef::from(loop).index()));
      if (found == subscripts.end())
        return refuse<kScheduleBuffer>(std::string_view(name_), "it is not stored at the indices of the loops around");
      axes_.push_back(static_cast<std::size_t>(found - subscripts.begin()));
    }
    if (axes_.size() != subscripts.size())
      return refuse<kScheduleBuffer>(std::string_view(name_), "it is not stored at the indices of the loops around");
    return {};
  }

  TransformResult check_loads() {
    for (const OpRef load : loads_)
      if (indices_of(load).size() != loops_.size())
        return refuse<kScheduleBuffer>(std::string_view(name_),
                                       "it is loaded at other places than the index of a loop");
    return {};
  }
  // The index that stands for that of each loop around the store; fewer where one is no index of a loop.
  [[nodiscard]] std::vector<Value> indices_of(OpRef load) const {
    const auto subscripts = subscripts_over_values(load);
    std::vector<Value> out;
    for (const std::size_t axis : axes_)
      for (OpRef at = load.parent_op(); at.valid() && at != alloc_.parent_op(); at = at.parent_op())
        if (const ForRef loop = ForRef::from(at); loop.valid() && of_value(loop.index()) == subscripts[axis])
          out.push_back(loop.index());
    return out;
  }

  // What computes the value in the loops around the store.
  TransformResult collect(Value value) {
    std::unordered_set<OpId> wanted;
    std::vector<Value> pending{value};
    TransformResult may;
    const auto need = [&](Value v) {
      const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
      if (!home.is_inside(loops_.front()) && home != loops_.front()) return;  // from outside
      if (!v.is_argument()) return pending.push_back(v);
      const bool is_index =
          std::any_of(loops_.begin(), loops_.end(), [&](OpRef loop) { return ForRef::from(loop).index() == v; });
      if (!is_index)
        may = refuse<kScheduleBuffer>(std::string_view(name_), "what is stored depends on a carried value");
    };
    while (!pending.empty() && may) {
      const OpRef op = pending.back().definer();
      pending.pop_back();
      if (!wanted.insert(op.id()).second) continue;
      walk(op, [&](OpRef inner) {
        const Value loaded = loaded_buffer(inner);
        if (!only_computes(inner) || ForRef::from(inner).valid() || inner.is(LoopOp::While))
          may = refuse<kScheduleBuffer>(std::string_view(name_),
                                        "what is stored is not a function of values and elements");
        else if (loaded.valid() && written_.contains(underlying_buffer(loaded).id()))
          may = refuse<kScheduleBuffer>(std::string_view(name_), "what is stored depends on a buffer that is written");
        for (const Value v : inner.operands())
          if (inner == op || !v.is_result() || !v.definer().is_inside(op)) need(v);
      });
    }
    if (!may) return may;
    walk(loops_.front(), [&](OpRef op) {
      if (wanted.contains(op.id())) slice_.push_back(op);
    });
    return {};
  }

  Module& module_;
  OpRef alloc_, store_;
  std::string name_;
  std::vector<OpRef> loads_, loops_, slice_;  // loops around the store, what is computed in them: in program order
  std::vector<std::size_t> axes_;             // of the scratch, by loop
  std::unordered_set<ValueId> written_;
};

}  // namespace

TransformResult recompute(OpRef alloc) {
  Recompute step(alloc);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
