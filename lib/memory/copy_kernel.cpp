// See copy_kernel.h.
#include "memory/copy_kernel.h"

#include <algorithm>

#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"

namespace mlgc {
namespace {

// The value that stands alone in brackets of the op; an invalid handle for another expression.
Value alone(OpRef op, IndexExpr e) {
  const IndexPool& pool = op.module().context().index();
  const auto atom = pool.as_atom(e);
  return atom && pool.atom(*atom).kind == AtomKind::Opaque ? op.operand(pool.atom(*atom).number) : Value();
}

class CopyKernel {
 public:
  explicit CopyKernel(OpRef kernel) : kernel_(kernel), pool_(kernel.module().context().index()) {}

  [[nodiscard]] bool is_copy() {
    const RegionRef body = kernel_.region(0);
    if (body.argument_count() != 2 || !find_store(body) || !store_.valid()) return false;
    const auto store = StoreRef::from(store_);
    const OpRef load = store.value().definer();
    if (loaded_buffer(load) != body.argument(0) || stored_buffer(store_) != body.argument(1)) return false;
    const auto from = LoadRef::from(load).buffer().dims(), to = store.buffer().dims();
    if (!std::equal(from.begin(), from.end(), to.begin(), to.end())) return false;
    const auto at = subscripts_of(store_), read = subscripts_of(load);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Value index = alone(store_, at[axis]);
      const bool first = at[axis] == pool_.constant(0) && read[axis] == at[axis] && to[axis] == pool_.constant(1);
      if (!first && (!index.valid() || index != alone(load, read[axis]) || !runs_over(index, to[axis]))) return false;
    }
    return loops_ == 0;
  }

 private:
  // The only store; around it are loops and nothing else.
  bool find_store(RegionRef region) {
    for (const OpRef op : region.ops()) {
      if (op.is(LoopOp::Store)) {
        if (store_.valid()) return false;
        store_ = op;
      } else if (const ForRef loop = ForRef::from(op); loop.valid()) {
        if (loop.carried_count() > 0) return false;
        ++loops_;
        if (!find_store(loop.body())) return false;
      } else if (op.region_count() > 0 || !only_computes(op)) {
        return false;
      }
    }
    return true;
  }

  // The index is each number below the size once: by one loop, or by tiles of one loop.
  bool runs_over(Value index, IndexExpr size) {
    if (!index.is_argument()) return false;
    const ForRef loop = ForRef::from(index.argument_of().parent_op());
    if (!loop.valid() || loop.index() != index) return false;
    if (std::find(counted_.begin(), counted_.end(), index) != counted_.end()) return false;
    counted_.push_back(index);
    --loops_;
    if (loop.first() == pool_.constant(0) && loop.last() == size) return true;
    if (pool_.term_count(loop.first()) != 1) return false;
    const Term tile = pool_.term(loop.first(), 0);
    const std::int64_t width = tile.coefficient;
    if (tile.factors.size() != 1 || width < 1) return false;
    const Value number = alone(loop.op(), pool_.from_atom(tile.factors[0]));
    if (!number.valid() || !number.is_argument()) return false;
    const ForRef tiles = ForRef::from(number.argument_of().parent_op());
    if (!tiles.valid() || tiles.index() != number ||
        std::find(counted_.begin(), counted_.end(), number) != counted_.end())
      return false;
    counted_.push_back(number);
    --loops_;
    const IndexExpr full = pool_.add(loop.first(), pool_.constant(width));
    return tiles.first() == pool_.constant(0) && tiles.last() == pool_.ceildiv(size, pool_.constant(width)) &&
           loop.last() == pool_.min(full, size);
  }

  OpRef kernel_;
  IndexPool& pool_;
  OpRef store_;
  int loops_ = 0;               // that no subscript accounts for
  std::vector<Value> counted_;  // indices of those that one does
};

}  // namespace

bool is_copy_kernel(OpRef kernel) { return CopyKernel(kernel).is_copy(); }

}  // namespace mlgc
