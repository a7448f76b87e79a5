// distribute: what a nest does after its reduction gets a nest of its own.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/in_place.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

class Distribute {
 public:
  explicit Distribute(OpRef nest) : module_(nest.module()), nest_(nest) {
    for (OpRef at = nest; at.valid(); at = only_loop_in(at)) {
      if (ForRef::from(at).carried_count() > 0) break;
      loops_.push_back(at);
    }
  }

  TransformResult check() {
    if (loops_.empty()) return refuse<kScheduleCarriesValues>(index_name(ForRef::from(nest_)));
    const std::string_view innermost = index_name(ForRef::from(loops_.back()));
    for (const OpRef op : body().ops())
      if (ForRef::from(op).valid()) {
        if (reduction_.valid()) return refuse<kScheduleInnerLoops>(innermost, "more than one loop", "one that reduces");
        reduction_ = op;
      }
    if (!reduction_.valid()) return refuse<kScheduleInnerLoops>(innermost, "no loop", "one that reduces");
    if (reduction_.result_count() != 1)
      return refuse<kScheduleNotApplicable>(index_name(ForRef::from(reduction_)), "reduce to one value");
    passed_ = reduction_.result();
    if (passed_.has_one_use() && (*passed_.users().begin()).is(GraphOp::Cast))
      if (const OpRef cast = *passed_.users().begin(); cast.parent() == body()) passed_ = cast.result();
    if (auto may = check_ops(); !may) return may;
    return check_loops();
  }

  void run() {
    Builder builder(module_);
    builder.set_after(nest_);
    ValueMap map;
    const OpRef rest = clone(nest_, builder, map);
    walk(rest, [&](OpRef op) {
      const ForRef copy = ForRef::from(op);
      if (copy.valid() && !copy.index().name().empty())
        copy.index().set_name(fresh_name(nest_, std::string(copy.index().name()) + "_out"));
    });
    bool in_loop = false;
    for (OpRef around = nest_.parent_op(); around.valid(); around = around.parent_op())
      in_loop = in_loop || ForRef::from(around).valid();
    builder.set_before(nest_);
    builder.set_location(reduction_.location());
    const Type type = module_.context().types().buffer(passed_.dtype(), sizes_, in_loop ? Scope::Thread : Scope::Arena);
    const Value scratch = builder.create(LoopOp::Alloc, {}, {type}).result();
    scratch.set_name("sums");
    // Scratch of one thread is no other one's.
    if (in_loop)
      for (const OpRef loop : loops_) {
        serial(loop);
        serial(map.find(ForRef::from(loop).index()).scope().parent_op());
      }

    const Value result = map.find(passed_);
    std::vector<IndexExpr> from, to;
    for (const OpRef loop : loops_) {
      to.push_back(place(loop, ForRef::from(loop).index()));
      const Value index = map.find(ForRef::from(loop).index());
      from.push_back(place(index.scope().parent_op(), index));
    }
    const OpRef copied = map.find(reduction_.result()).definer();
    builder.set_after(result.definer());
    result.replace_all_uses_with(load_of(builder, scratch, from));
    if (result != copied.result()) result.definer().erase();
    copied.erase();
    drop_unused(map.find(ForRef::from(loops_.back()).index()).scope());

    std::vector<OpRef> behind;
    for (OpRef op = passed_.definer().next(); op.valid() && op != body().terminator(); op = op.next())
      behind.push_back(op);
    for (std::size_t i = behind.size(); i-- > 0;)
      if (behind[i].results_unused()) behind[i].erase();
    builder.set_after(passed_.definer());
    store_of(builder, passed_, scratch, to);
    drop_unused(body());
    for (std::size_t i = 0; i < loops_.size(); ++i) fill_tile(loops_[i], sizes_[i]);
  }

 private:
  // A tile that the end of its loop cuts short is computed whole where all that it reads has room for it, as panels of
  // weights have: the scratch has, and what is more of it is not read.
  void fill_tile(OpRef loop, IndexExpr size) {
    IndexPool& pool = module_.context().index();
    const ForRef of = ForRef::from(loop);
    const IndexExpr first = over_values(loop, of.first()), full = pool.add(first, size);
    if (over_values(loop, of.last()) == full || !pool.as_constant(size)) return;
    const bool has_room = walk(loop, [&](OpRef op) {
      return op == loop || reads_within(op, of.index(), first, size) ? WalkResult::Continue : WalkResult::Stop;
    });
    if (has_room) set_loop(loop, first, full, {});
  }
  // Whether the op reads of the index only `index - first`, in subscripts of axes with at least `size` elements.
  bool reads_within(OpRef op, Value index, IndexExpr first, IndexExpr size) {
    IndexPool& pool = module_.context().index();
    const auto operands = op.operands();
    if (std::find(operands.begin(), operands.end(), index) == operands.end()) return true;
    const AccessRef access = AccessRef::from(op);
    if (!access.valid() || access.checked()) return false;
    const IndexExpr place = pool.sub(of_value(index), first);
    const auto at = subscripts_of(op);
    for (std::size_t d = 0; d < at.size(); ++d) {
      const IndexExpr e = over_values(op, at[d]);
      if (!pool.mentions(e, *pool.as_atom(of_value(index)))) continue;
      if (e != place || pool.as_constant(access.buffer().dims()[d]).value_or(0) < *pool.as_constant(size)) return false;
    }
    return true;
  }

  [[nodiscard]] RegionRef body() const { return loops_.back().region(0); }
  static void serial(OpRef loop) {
    if (ForRef::from(loop).kind() == LoopKind::Parallel) ForRef::from(loop).set_kind(LoopKind::Serial);
  }
  static IndexExpr place(OpRef loop, Value index) {
    return loop.module().context().index().sub(of_value(index), over_values(loop, ForRef::from(loop).first()));
  }

  // What stands after the reduction reads none of what it, or what is in front of it, computes but its value: these
  // store nothing. What is in front is computed in both nests.
  TransformResult check_ops() const {
    std::vector<Value> written, read;
    bool is_behind = false, ends = false, stores = false;
    for (const OpRef op : body().ops()) {
      walk(op, [&](OpRef inner) {
        ends = ends || ProgramEnds().may_end(inner);
        if (loaded_buffer(inner).valid() && !is_behind) read.push_back(loaded_buffer(inner));
        for_each_written(inner, [&](Value v) {
          stores = stores || !is_behind;
          written.push_back(v);
        });
      });
      is_behind = is_behind || op == passed_.definer();
    }
    const std::string innermost(index_name(ForRef::from(loops_.back())));
    if (ends) return refuse<kScheduleMayAbort>("the loop over `%" + innermost + "`");
    if (stores) return refuse<kScheduleReordersMemory>(innermost, "ops before the result of the reduction write");
    for (const Value v : written)
      if (std::find(read.begin(), read.end(), v) != read.end())
        return refuse<kScheduleReordersMemory>(innermost, "ops after the reduction write what it reads");
    return {};
  }

  TransformResult check_loops() {
    IndexPool& pool = module_.context().index();
    if (auto may = expect_no_lanes_around(nest_); !may) return may;
    for (const OpRef loop : loops_) {
      const ForRef of = ForRef::from(loop);
      for (const Value v : loop.operands())
        if (v.scope().parent_op() == nest_ || v.scope().parent_op().is_inside(nest_))
          return refuse<kScheduleBoundsVary>(index_name(of));
      const auto count = usual_extent(of);
      const IndexExpr size =
          count ? pool.constant(std::max<std::int64_t>(*count, 0))
                : pool.max(pool.sub(over_values(loop, of.last()), over_values(loop, of.first())), pool.constant(0));
      if (!count && !is_plain_size(pool, pool.sub(over_values(loop, of.last()), over_values(loop, of.first()))))
        return refuse<kScheduleTripCountNotASize>(index_name(of));
      sizes_.push_back(size);
    }
    return {};
  }

  // Ops that nothing needs any more, from the last one on.
  static void drop_unused(RegionRef region) {
    std::vector<OpRef> ops(region.ops().begin(), region.ops().end());
    for (std::size_t i = ops.size(); i-- > 0;)
      if (ops[i].result_count() > 0 && ops[i].results_unused() && (ops[i].pure() || ops[i].is(LoopOp::Load)))
        ops[i].erase();
  }

  Module& module_;
  OpRef nest_, reduction_;
  std::vector<OpRef> loops_;  // of the nest, from the outside
  std::vector<IndexExpr> sizes_;
  Value passed_;  // through scratch
};

}  // namespace

TransformResult can_distribute(OpRef nest) { return Distribute(nest).check(); }

TransformResult distribute(OpRef nest) {
  MLGC_ASSERT(ForRef::from(nest).valid(), "distribute: no loop");
  Distribute step(nest);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
