// See in_place.h.
#include "verify/in_place.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/walk.h"
#include "ops/loop_ops.h"
#include "verify/loop_access.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostPairs = 4096;  // of a store and a load behind it that are told apart

// One kernel, and the two arguments as one memory.
class Kernel {
 public:
  Kernel(OpRef kernel, Value read, Value written, const Facts& facts)
      : pool_(kernel.module().context().index()),
        read_(read),
        written_(written),
        facts_(facts),
        walk_(kernel.module().context(), facts) {
    collect(kernel.region(0));
  }

  // No op reads what one before it wrote, and iterations of loops that do both keep apart.
  bool admits(RegionRef region) {
    std::vector<OpRef> stores;
    for (const OpRef op : region.ops()) {
      const Touch touch = touch_of(op);
      if (touch.launched) return false;
      for (const OpRef load : touch.loads)
        for (const OpRef store : stores)
          if (++pairs_ > kMostPairs || !never_meet(store, load)) return false;
      if (!touch.loads.empty() && !touch.stores.empty() && !admits(op)) return false;
      stores.insert(stores.end(), touch.stores.begin(), touch.stores.end());
    }
    return true;
  }

 private:
  struct Touch {
    std::vector<OpRef> loads, stores;
    bool launched = false;
  };
  // Where an access lies, over letters of loops, and what is known there.
  struct Place {
    std::vector<IndexExpr> at;
    std::vector<IndexExpr> known;
  };

  void collect(RegionRef region) {
    walk_.enter(region);
    for (const OpRef op : region.ops()) {
      if (op.is("load") || op.is("store")) {
        const Value named = op.operand(op.is("load") ? 0 : 1), buffer = underlying_buffer(named);
        if (buffer == read_ || buffer == written_) {
          Place place{{}, walk_.known()};
          for (const IndexExpr e : subscripts_of(op)) place.at.push_back(walk_.over_loops(op, e));
          places_.emplace(op.id(), std::move(place));
        }
      }
      for (const RegionRef inner : op.regions()) collect(inner);
      walk_.pass(op);
    }
    walk_.leave();
  }

  // Whatever iterations of loops that are not around both they stand in, they are of different elements.
  bool never_meet(OpRef store, OpRef load) {
    const auto stored = store.operand(1).dims(), loaded = load.operand(0).dims();
    if (!std::equal(stored.begin(), stored.end(), loaded.begin(), loaded.end())) return false;
    const Place &a = places_.at(store.id()), &b = places_.at(load.id());
    for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
      const IndexExpr apart = pool_.sub(a.at[axis], b.at[axis]);
      if (const auto distance = pool_.as_constant(apart); distance && *distance != 0) return true;
    }
    std::vector<IndexExpr> known = a.known;
    known.insert(known.end(), b.known.begin(), b.known.end());
    for (std::size_t axis = 0; axis < a.at.size(); ++axis)
      for (const auto& [high, low] : {std::pair(a.at[axis], b.at[axis]), std::pair(b.at[axis], a.at[axis])})
        if (walk_.is_known(pool_.sub(pool_.sub(high, low), pool_.constant(1)), known)) return true;
    return false;
  }

  bool admits(OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (!loop.valid() && !op.is("if")) return false;
    if (loop.valid() && !keep_apart_as_one(loop, facts_, read_, written_)) return false;
    for (const RegionRef region : op.regions())
      if (!admits(region)) return false;
    return true;
  }

  [[nodiscard]] Touch touch_of(OpRef top) const {
    Touch touch;
    walk(top, [&](OpRef op) {
      if (op.is("load") && underlying_buffer(op.operand(0)) == read_) touch.loads.push_back(op);
      if (op.is("store") && underlying_buffer(op.operand(1)) == written_) touch.stores.push_back(op);
      if (op.is("launch"))
        for (const Value v : op.operands())
          touch.launched = touch.launched || underlying_buffer(v) == read_ || underlying_buffer(v) == written_;
    });
    return touch;
  }

  IndexPool& pool_;
  Value read_, written_;
  const Facts& facts_;
  LoopAccess walk_;
  std::unordered_map<OpId, Place> places_;
  std::size_t pairs_ = 0;
};

bool row_major(Value buffer) {
  const TypePool& types = buffer.module().context().types();
  return types.layout(buffer.type()) == StringId();
}

}  // namespace

bool InPlaceKernels::admits(OpRef kernel, std::size_t read, std::size_t written) {
  const auto [known, fresh] = known_.try_emplace({kernel.id(), read, written}, false);
  if (!fresh) return known->second;
  const Value from = kernel.region(0).argument(read), to = kernel.region(0).argument(written);
  const std::vector<bool> writes = written_arguments(kernel);
  if (writes[read] || !writes[written] || from.dtype() != to.dtype() || !row_major(from) || !row_major(to))
    return false;
  FunctionFacts facts;
  return known->second = Kernel(kernel, from, to, facts.of(kernel)).admits(kernel.region(0));
}

bool InPlaceKernels::admits(OpRef launch, Value reads, Value writes) {
  const OpRef callee = launched(launch);
  if (!callee.valid() || !callee.is("func") || callee.region(0).argument_count() != launch.operand_count())
    return false;
  for (std::size_t i = 0; i < launch.operand_count(); ++i)
    for (std::size_t j = 0; j < launch.operand_count(); ++j)
      if (underlying_buffer(launch.operand(i)) == reads && underlying_buffer(launch.operand(j)) == writes &&
          !admits(callee, i, j))
        return false;
  return true;
}

OpRef both_alive(const DriverMemory& memory, Value a, Value b, InPlaceKernels& kernels) {
  auto earlier = memory.life_of(a), later = memory.life_of(b);
  if (!earlier || !later) return {};
  if (later->first < earlier->first) {
    std::swap(earlier, later);
    std::swap(a, b);
  }
  if (earlier->last < later->first) return {};
  const OpRef op = memory.op_at(later->first);
  const bool meet = earlier->last == later->first && earlier->first != later->first && op.is("launch") &&
                    op.parent() == a.scope() && op.parent() == b.scope();
  return meet && kernels.admits(op, a, b) ? OpRef() : op;
}

bool may_end_program(OpRef top) {
  bool fails = false;
  walk(top, [&](OpRef op) {
    if (op.is("check")) fails = true;
    if (op.is("launch")) {
      const OpRef callee = launched(op);
      fails = fails || !callee.valid() || op.is_inside(callee) || may_end_program(callee);
    } else if (op.is("load") || op.is("store")) {
      fails = fails || op.module().context().attributes().as_bool(op.attr("checked")).value_or(false);
    } else if (!op.is("guard") && !op.is("apply") && op.region_count() == 0) {
      fails = fails || has(op.own_effects(), Effects::MayFail);
    }
  });
  return fails;
}

OpRef fails_behind_write(const DriverMemory& memory, Value buffer) {
  std::size_t first = memory.step_count();
  for (const std::vector<Value>& group : memory.shared())
    if (group[0] == buffer)
      for (const Value v : group)
        if (const auto life = memory.life_of(v); life && !(v.is_result() && v.definer().is("data")))
          first = std::min(first, life->first);
  if (const auto life = memory.life_of(buffer)) first = std::min(first, life->first);
  for (std::size_t step = first; step < memory.step_count(); ++step)
    if (may_end_program(memory.op_at(step))) return memory.op_at(step);
  return {};
}

}  // namespace mlgc
