// split-argument: the best of values and where it stands, carried side by side, become an extremum and the least
// position of what equals it, which lanes can each reduce.
//
//     for (%i, %b, %p) { %v = …; %c = …; yield where(%c, %v, %b), where(%c, %at, %p) }
// becomes
//     %m = for (%i, %b) { %v = …; yield maximum(%v, %b) }
//     %n = for (%i, %p = greatest) { %v = …; yield minimum(where(%v == %m or isnan(%v), %at, greatest), %p) }
//     where %n is the greatest: what the position started from
//
// Likewise of loops that stand alone in each other: both keep them all, and may take them in any order.
// A long loop goes by tiles: each keeps its extremum, and only the first one that has the best of these is searched.
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "schedule/argument_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

// What nothing reads goes, from the last op to the first.
void erase_unread(RegionRef region) {
  std::vector<OpRef> ops;
  for (const OpRef op : region.ops()) ops.push_back(op);
  for (std::size_t i = ops.size() - 1; i-- > 0;)
    if (ops[i].results_unused() && only_computes(ops[i])) ops[i].erase();
}

class Split {
 public:
  Split(ForRef loop, ArgumentNest nest)
      : loop_(loop),
        nest_(std::move(nest)),
        module_(loop.op().module()),
        context_(module_.context()),
        pool_(context_.index()),
        builder_(module_) {}

  // `size`: of tiles; 0: there are none.
  OpRef run(std::int64_t size) {
    const OpRef loop = loop_.op();
    builder_.set_before(loop);
    builder_.set_location(loop.location());
    const IndexExpr first = over_values(loop, loop_.first()), last = over_values(loop, loop_.last());
    const OpRef made = size > 0 ? tiles(size, last) : extremum(first, last);
    const OpRef best = size > 0 ? best_tile(made, size, last) : made;
    const OpRef places =
        size > 0 ? find(best, within(best, size, 0, last), within(best, size, size, last)) : find(best, first, last);
    builder_.set_before(loop);
    const Value none = apply_scalar(builder_, ScalarFn::Eq, std::array{places.result(0), nowhere_}, Dtype::I1);
    loop.result(0).replace_all_uses_with(best.result(0));
    loop.result(1).replace_all_uses_with(choose_value(builder_, none, loop_.initial(1), places.result(0)));
    move_strategy(loop, made);
    loop.erase();
    return made;
  }

 private:
  OpRef extremum(IndexExpr first, IndexExpr last) {
    const OpRef made = copy(loop_.initial(0), "_b", first, last);
    const Value taken[] = {map_.find(nest_.value), made_.back().region(0).argument(1)};
    end(apply_scalar(builder_, nest_.fn, taken, loop_.carried(0).dtype()));
    return made;
  }

  // The extremum of each tile, on any thread.
  OpRef tiles(std::int64_t size, IndexExpr count) {
    const IndexExpr zero = pool_.constant(0), many = pool_.ceildiv(count, pool_.constant(size));
    const IndexExpr shape[] = {many};
    const Type type = context_.types().buffer(loop_.carried(0).dtype(), shape, Scope::Arena);
    extrema_ = builder_.create(LoopOp::Alloc, {}, {type}).result();
    extrema_.set_name("extrema");
    const OpRef outer = new_loop(builder_, zero, many, fresh_name(loop_.op(), stem() + "_o"), {});
    const IndexExpr number = of_value(outer.region(0).argument(0)), begin = pool_.scale(number, size),
                    behind = pool_.add(begin, pool_.constant(size));
    const bool full = pool_.as_constant(pool_.mod(count, pool_.constant(size))) == 0;
    builder_.set_end(outer.region(0));
    const OpRef inner = extremum(begin, full ? behind : pool_.min(behind, count));
    builder_.set_end(outer.region(0));
    const IndexExpr place[] = {number};
    store_of(builder_, inner.result(0), extrema_, place);
    builder_.create(context_.opcode(LoopOp::Yield), {}, {}, {});
    ForRef::from(outer).set_kind(LoopKind::Parallel);
    return outer;
  }
  // The best of these, and the first tile that has it.
  OpRef best_tile(OpRef outer, std::int64_t size, IndexExpr count) {
    builder_.set_before(loop_.op());
    return best_part(builder_, nest_.fn, extrema_, {}, pool_.ceildiv(count, pool_.constant(size)),
                     fresh_name(outer, stem() + "_p"), loop_.initial(0));
  }
  // A bound of the tile, which is a number that data say: cut to the range of the loop.
  [[nodiscard]] IndexExpr within(OpRef best, std::int64_t size, std::int64_t more, IndexExpr count) const {
    const IndexExpr at = pool_.add(pool_.scale(of_value(best.result(1)), size), pool_.constant(more));
    return pool_.min(count, pool_.max(at, pool_.constant(0)));
  }

  // The least position of what equals the best value.
  OpRef find(OpRef best, IndexExpr first, IndexExpr last) {
    builder_.set_before(loop_.op());
    const Dtype dtype = loop_.carried(0).dtype(), width = loop_.carried(1).dtype();
    const std::int64_t most =
        width == Dtype::I32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
    nowhere_ = LiteralRef::create(builder_, width, 0, most).op().result();
    const OpRef places = copy(nowhere_, "", first, last);
    const Value v = map_.find(nest_.value), at = map_.find(nest_.at);
    Value hit = apply_scalar(builder_, ScalarFn::Eq, std::array{v, best.result(0)}, Dtype::I1);
    if (is_float(dtype)) {
      const Value nan = apply_scalar(builder_, ScalarFn::IsNan, std::array{v}, Dtype::I1);
      hit = apply_scalar(builder_, ScalarFn::Or, std::array{hit, nan}, Dtype::I1);
    }
    const Value found[] = {choose_value(builder_, hit, at, nowhere_), made_.back().region(0).argument(1)};
    end(apply_scalar(builder_, ScalarFn::Min, found, width));
    return places;
  }

  [[nodiscard]] std::string stem() const { return std::string(loop_.index().name()); }

  // Loops with a copy of what the innermost one does, at whose end the builder stands; the bounds are those of the
  // outermost one. Without a suffix they are called as they were.
  OpRef copy(Value initial, const std::string& suffix, IndexExpr first, IndexExpr last) {
    map_ = {};
    made_.clear();
    Value from = initial;
    for (const ForRef like : nest_.loops) {
      const OpRef op = like.op();
      const bool outermost = made_.empty();
      const std::string name(like.index().name());
      made_.push_back(new_loop(builder_, outermost ? first : mapped(module_, over_values(op, like.first()), map_),
                               outermost ? last : mapped(module_, over_values(op, like.last()), map_),
                               suffix.empty() ? name : fresh_name(loop_.op(), name + suffix), {from}));
      const RegionRef body = made_.back().region(0);
      map_.set(like.index(), body.argument(0));
      for (std::size_t i = 0; i < 2; ++i) map_.set(like.carried(i), loop_.initial(i));
      builder_.set_end(body);
      from = body.argument(1);
    }
    clone_ops(nest_.loops.back().body(), builder_, map_, true);
    return made_.front();
  }
  // Ends the copies: each carries on what the one inside of it gives.
  void end(Value next) {
    for (std::size_t i = made_.size(); i-- > 0;) {
      builder_.set_end(made_[i].region(0));
      builder_.create(context_.opcode(LoopOp::Yield), std::array{next}, {}, {});
      next = made_[i].result(0);
    }
    erase_unread(made_.back().region(0));
  }

  ForRef loop_;
  ArgumentNest nest_;
  Module& module_;
  Context& context_;
  IndexPool& pool_;
  Builder builder_;
  ValueMap map_;
  std::vector<OpRef> made_;  // the loops of the last copy, from the outside
  Value nowhere_, extrema_;
};

}  // namespace

TransformResult is_argument_loop(OpRef loop) {
  const auto nest = argument_nest(loop);
  if (!nest) return refuse(nest.error());
  return {};
}

TransformResult split_argument(OpRef loop, std::int64_t size) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid() && size >= 0, "split-argument: no loop");
  auto nest = argument_nest(loop);
  if (!nest) return refuse(nest.error());
  IndexPool& pool = loop.module().context().index();
  if (size > 0 && !loop.parent_op().is(LoopOp::Func))
    return refuse<kScheduleOuterLoops>(index_name(of), "`" + std::string(loop.parent_op().name()) + "`",
                                       "none around it, since threads share its tiles");
  if (size > 0 && (nest->loops.size() > 1 || of.first() != pool.constant(0)))
    return refuse<kScheduleNotApplicable>(index_name(of), "count all iterations of its nest from 0 on");
  if (size > 0 && !is_size(pool, over_values(loop, of.last())))
    return refuse<kScheduleTripCountNotASize>(index_name(of));
  (void)Split(of, *std::move(nest)).run(size);
  return {};
}

}  // namespace mlgc
