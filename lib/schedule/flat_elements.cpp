#include "schedule/flat_elements.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/gpu_limits.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/reduction_order.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// Neighbours that a load reads within a sector of memory, or within a few: the others of these are read by the same
// thread.
constexpr std::int64_t kNearBytes = 32;
// Policy, the same for all GPUs: of so many threads of blocks one may have nothing to do before rows become one loop.
constexpr std::int64_t kFewestIdle = 8;

class FlatElements {
 public:
  explicit FlatElements(std::span<const OpRef> chain)
      : chain_(chain), pool_(chain.back().module().context().index()), row_(ForRef::from(chain.back())) {}

  [[nodiscard]] bool is_better() {
    if (chain_.size() < 2 || !loops_in(row_.body()).empty()) return false;
    std::int64_t count = 1;
    for (const OpRef loop : chain_) {
      const ForRef of = ForRef::from(loop);
      const auto last = pool_.as_constant(of.last());
      if (pool_.as_constant(of.first()) != 0 || !last || *last < 1) return false;
      count = saturating_mul(count, *last);
    }
    if (count > std::numeric_limits<std::int32_t>::max()) return false;
    varying_ = varying_values(row_);
    for (const OpRef loop : chain_) indices_.push_back(ForRef::from(loop).index());
    bool pays = false, stores = false;
    const bool fits = walk(chain_.back(), [&](OpRef op) {
      if (op.is(LoopOp::Alloc) || op.is(LoopOp::Launch) || op.is(LoopOp::While)) return WalkResult::Stop;
      if (op.is(LoopOp::Store)) {
        stores = true;
        pays = pays || begins_anywhere(op) || leaves_threads(op);
        return is_dense(op) ? WalkResult::Continue : WalkResult::Stop;
      }
      return !op.is(LoopOp::Load) || is_near(op) ? WalkResult::Continue : WalkResult::Stop;
    });
    return fits && stores && pays;
  }

 private:
  // Rows of pieces are aligned, others are not.
  [[nodiscard]] bool begins_anywhere(OpRef store) const {
    const auto bytes = static_cast<std::int64_t>(dtype_info(AccessRef::from(store).buffer().dtype()).bytes);
    return extent(chain_.back()).value_or(1) * bytes % kPieceBytes != 0;
  }
  // Whether blocks that each take pieces of one row leave many of their threads without one.
  [[nodiscard]] bool leaves_threads(OpRef store) const {
    const auto bytes = static_cast<std::int64_t>(dtype_info(AccessRef::from(store).buffer().dtype()).bytes);
    const std::int64_t row = extent(chain_.back()).value_or(kElementThreads);
    const std::int64_t pieces = ceil_div(row, std::min(kPieceBytes / bytes, kMostAtATime));
    const std::int64_t threads = ceil_div(pieces, kElementThreads) * kElementThreads;
    return threads - pieces >= threads / kFewestIdle;
  }
  [[nodiscard]] bool is_dense(OpRef store) const {
    IndexExpr place = pool_.constant(0), flat = place;
    const auto dims = AccessRef::from(store).buffer().dims();
    const auto subscripts = subscripts_of(store);
    for (std::size_t d = 0; d < dims.size(); ++d)
      place = pool_.add(pool_.mul(place, over_values(store, dims[d])), over_values(store, subscripts[d]));
    for (const OpRef loop : chain_)
      flat = pool_.add(pool_.mul(flat, ForRef::from(loop).last()), of_value(ForRef::from(loop).index()));
    return place == flat;
  }
  // Whether the load says by indices alone where it is, and neighbours are not far apart.
  [[nodiscard]] bool is_near(OpRef load) const {
    for (const IndexExpr e : subscripts_of(load)) {
      bool by_data = false;
      pool_.for_each_atom(e, [&](AtomId id) {
        const Atom atom = pool_.atom(id);
        if (atom.kind != AtomKind::Opaque) return;
        const Value v = load.operand(atom.number);
        by_data = by_data || (std::find(indices_.begin(), indices_.end(), v) == indices_.end() && is_inside(v));
      });
      if (by_data) return false;
    }
    if (along(load, row_, varying_) != Along::Strided) return true;
    return stride_bytes(load, row_).value_or(std::numeric_limits<std::int64_t>::max()) <= kNearBytes;
  }
  [[nodiscard]] bool is_inside(Value v) const {
    const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
    return home.is_inside(chain_.front());
  }

  std::span<const OpRef> chain_;
  IndexPool& pool_;
  ForRef row_;
  std::unordered_set<ValueId> varying_;
  std::vector<Value> indices_;
};

}  // namespace

bool is_better_flat(std::span<const OpRef> chain) { return FlatElements(chain).is_better(); }

bool flatten(Scheduler& scheduler, std::span<const OpRef> chain) {
  // From outside: quotients of the outer indices are then of the whole index, and not of a quotient of it.
  for (std::size_t i = 1; i < chain.size(); ++i)
    if (!scheduler.take("collapse", chain[0], NumericsClass::Exact, scheduler.counts().collapsed,
                        [&] { return collapse(chain[0], Divides::Brackets); }))
      return false;
  return true;
}

}  // namespace mlgc::schedule
