// See in_place.h.
#include "analysis/in_place.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"

namespace mlgc {
namespace {

// Policy, the same for all machines: pairs of a store and a load after it that are compared. Pairs grow with the square
// of the ops of a region, a compilation must not; a kernel of 64 stores and 64 loads is decided. Beyond, the two
// buffers stay apart, which is always right.
constexpr std::size_t kMostPairs = 4096;

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

  // No op reads what one before it wrote, and iterations of loops that do both are independent.
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
  // Where an access lies, over index labels of loops, and what is known there.
  struct Place {
    std::vector<IndexExpr> at;
    std::vector<IndexExpr> known;
  };

  void collect(RegionRef region) {
    walk_.enter(region);
    for (const OpRef op : region.ops()) {
      if (const AccessRef access = AccessRef::from(op); access.valid()) {
        const Value buffer = underlying_buffer(access.buffer());
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
    const auto stored = StoreRef::from(store).buffer().dims(), loaded = LoadRef::from(load).buffer().dims();
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
    if (!loop.valid() && !op.is(LoopOp::If)) return false;
    if (loop.valid() && !keep_apart_as_one(loop, facts_, read_, written_)) return false;
    for (const RegionRef region : op.regions())
      if (!admits(region)) return false;
    return true;
  }

  [[nodiscard]] Touch touch_of(OpRef top) const {
    Touch touch;
    walk(top, [&](OpRef op) {
      if (loaded_buffer(op) == read_) touch.loads.push_back(op);
      if (stored_buffer(op) == written_) touch.stores.push_back(op);
      if (op.is(LoopOp::Launch) || op.is(LoopOp::External))
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
  const OpRef callee = LaunchRef::from(launch).callee();
  if (!callee.valid() || !callee.is(LoopOp::Func) || callee.region(0).argument_count() != launch.operand_count())
    return false;
  for (std::size_t i = 0; i < launch.operand_count(); ++i)
    for (std::size_t j = 0; j < launch.operand_count(); ++j)
      if (underlying_buffer(launch.operand(i)) == reads && underlying_buffer(launch.operand(j)) == writes &&
          !admits(callee, i, j))
        return false;
  return true;
}

OpRef both_alive(const HostFunctionMemory& memory, LiveBuffer a, LiveBuffer b, InPlaceKernels& kernels) {
  if (b.life.first < a.life.first) std::swap(a, b);
  if (a.life.last < b.life.first) return {};
  const OpRef op = memory.op_at(b.life.first);
  const bool meet = a.life.last == b.life.first && a.life.first != b.life.first && op.is(LoopOp::Launch) &&
                    op.parent() == a.buffer.scope() && op.parent() == b.buffer.scope();
  return meet && kernels.admits(op, a.buffer, b.buffer) ? OpRef() : op;
}

std::vector<Overlap> overlaps(const HostFunctionMemory& memory, std::span<const Value> in_one_memory,
                              InPlaceKernels& kernels) {
  std::vector<std::pair<LiveBuffer, std::size_t>> all;  // with their places in the list
  for (std::size_t i = 0; i < in_one_memory.size(); ++i)
    if (const auto life = memory.life_of(in_one_memory[i])) all.push_back({{in_one_memory[i], *life}, i});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first.life.first < b.first.life.first; });
  std::vector<Overlap> found;
  // As long as there is no overlap only the longest of those before can meet the next one.
  for (std::size_t i = 1, longest = 0; i < all.size(); ++i) {
    auto [a, b] = std::minmax(all[longest], all[i], [](const auto& x, const auto& y) { return x.second < y.second; });
    if (const OpRef at = both_alive(memory, a.first, b.first, kernels); at.valid())
      found.push_back({a.first.buffer, b.first.buffer, at});
    if (all[i].first.life.last >= all[longest].first.life.last) longest = i;
  }
  return found;
}

bool ProgramEnds::own(OpRef op) {
  switch (op.loop_op()) {
    case LoopOp::Check:
    case LoopOp::External: return true;
    case LoopOp::Launch: {
      const OpRef callee = LaunchRef::from(op).callee();
      if (!callee.valid() || op.is_inside(callee)) return true;
      const auto [known, fresh] = known_.try_emplace(callee.id(), true);
      if (!fresh) return known->second;
      const bool ends = may_end(callee);
      return known_[callee.id()] = ends;
    }
    case LoopOp::Load:
    case LoopOp::Store: return AccessRef::from(op).checked();
    // Of scalars only integer divisions may.
    case LoopOp::Scalar: {
      const OpRef by = op.operand_count() == 2 ? op.operand(1).definer() : OpRef();
      if (by.valid() && by.is(LoopOp::Literal) && LiteralRef::from(by).integer().value_or(0) > 0) return false;
      break;
    }
    // An index expression without a value (an overflow, a division by a size of 0) does not count.
    case LoopOp::Guard:
    case LoopOp::Apply: return false;
    case LoopOp::Func:
    case LoopOp::Return:
    case LoopOp::If:
    case LoopOp::While:
    case LoopOp::Condition:
    case LoopOp::Yield:
    case LoopOp::For:
    case LoopOp::Alloc:
    case LoopOp::Dealloc:
    case LoopOp::BufferView:
    case LoopOp::TransposeInPlace:
    case LoopOp::Literal:
    case LoopOp::Fma:
    case LoopOp::Bits:
    case LoopOp::Data:
    case LoopOp::BindSize: break;
  }
  return op.region_count() == 0 && has(op.own_effects(), Effects::MayFail);
}

bool ProgramEnds::may_end(OpRef top) {
  return !walk(top, [&](OpRef op) { return own(op) ? WalkResult::Stop : WalkResult::Continue; });
}

StateWrites::StateWrites(const HostFunctionMemory& memory) : memory_(memory), next_failing_(memory.step_count() + 1) {
  ProgramEnds ends;
  next_failing_.back() = memory.step_count();
  for (std::size_t step = memory.step_count(); step-- > 0;)
    next_failing_[step] = ends.may_end(memory.op_at(step)) ? step : next_failing_[step + 1];
  for (const std::vector<Value>& group : memory.shared()) {
    std::size_t first = memory.step_count();
    for (const Value v : group)
      if (const auto life = memory.life_of(v); life && !(v.is_result() && v.definer().is(LoopOp::Data)))
        first = std::min(first, life->first);
    first_[group[0].id()] = first;
  }
}

OpRef StateWrites::fails_behind(Value new_state) const {
  const auto shared = first_.find(new_state.id());
  const auto life = memory_.life_of(new_state);
  const std::size_t first = shared != first_.end() ? shared->second : life ? life->first : memory_.step_count();
  return fails_from(first);
}

OpRef StateWrites::fails_from(std::size_t step) const {
  const std::size_t failing = next_failing_[step];
  return failing < memory_.step_count() ? memory_.op_at(failing) : OpRef();
}

}  // namespace mlgc
