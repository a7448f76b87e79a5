// split-argument: the best of values and where it stands, carried side by side, become an extremum and the least
// position of what equals it, which lanes can each reduce.
//
//     for (%i, %b, %p) { %v = …; %c = …; yield where(%c, %v, %b), where(%c, %at, %p) }
// becomes
//     %m = for (%i, %b) { %v = …; yield maximum(%v, %b) }
//     %n = for (%i, %p = greatest) { %v = …; yield minimum(where(%v == %m or isnan(%v), %at, greatest), %p) }
//     where %n is the greatest: what the position started from
//
// A long loop goes by tiles: each keeps its extremum, and only the first one that has the best of these is searched.
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "ops/combine.h"
#include "ops/op_table.h"
#include "ops/scalar_ops.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

struct Pair {
  Value value, at;  // of an iteration
  ScalarFn fn = ScalarFn::Max;
};

// The argument of an op that is the function; an invalid handle of another one.
Value argument(Value of, ScalarFn fn, std::size_t i) {
  if (!of.valid() || !of.is_result()) return {};
  const OpRef op = of.definer();
  if (op.opcode() != scalar_ops(op.module().context()).find(fn) || op.operand_count() <= i) return {};
  return op.operand(i);
}

// The two sides of `b is no NaN and not v <= b`, or of `b < v` of integers: whether v is taken for b.
bool is_better(Value condition, Value v, Value b, ScalarFn& fn) {
  const auto compares = [&](Value c, ScalarFn by, Value less, Value more) {
    return argument(c, by, 0) == less && argument(c, by, 1) == more;
  };
  if (!is_float(v.dtype())) {
    if (compares(condition, ScalarFn::Lt, b, v))
      fn = ScalarFn::Max;
    else if (compares(condition, ScalarFn::Lt, v, b))
      fn = ScalarFn::Min;
    else
      return false;
    return true;
  }
  const Value number = argument(argument(condition, ScalarFn::And, 0), ScalarFn::Not, 0);
  const Value stays = argument(argument(condition, ScalarFn::And, 1), ScalarFn::Not, 0);
  if (!number.valid() || argument(number, ScalarFn::IsNan, 0) != b) return false;
  if (compares(stays, ScalarFn::Le, v, b))
    fn = ScalarFn::Max;
  else if (compares(stays, ScalarFn::Le, b, v))
    fn = ScalarFn::Min;
  else
    return false;
  return true;
}

bool is_literal(Value v, double real, std::int64_t integer) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  if (!literal.valid()) return false;
  return is_float(literal.dtype()) ? literal.real() == real : literal.integer() == integer;
}

// The loop carries the best of values from the worst one on, and its index, from that of the first one on.
Result<Pair, Diagnostic> pair_of(ForRef loop) {
  const auto no = [&] {
    return refuse<kScheduleNotApplicable>(index_name(loop), "carry an extremum and its position");
  };
  if (loop.carried_count() != 2 || loop.kind() != LoopKind::Serial) return no();
  const OpRef end = loop.body().terminator();
  const Opcode choice = scalar_ops(loop.op().module().context()).choice();
  const Value best = loop.carried(0), place = loop.carried(1);
  std::array<OpRef, 2> picks;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!end.operand(i).is_result()) return no();
    picks[i] = end.operand(i).definer();
    if (picks[i].opcode() != choice || picks[i].operand(2) != loop.carried(i)) return no();
  }
  if (picks[0].operand(0) != picks[1].operand(0)) return no();
  Pair out{picks[0].operand(1), picks[1].operand(1), ScalarFn::Max};
  if (!is_better(picks[0].operand(0), out.value, best, out.fn)) return no();
  if (place.dtype() != Dtype::I32 && place.dtype() != Dtype::I64) return no();
  const NeutralElement worst = neutral_element(out.fn, best.dtype());
  if (!is_literal(loop.initial(0), worst.real, worst.integer)) return no();
  // Nothing else reads what is carried: the value does not depend on the best so far.
  std::size_t uses = 0;
  for (const Use use : best.uses()) {
    (void)use;
    ++uses;
  }
  if (uses != (is_float(best.dtype()) ? 3U : 2U) || !place.has_one_use()) return no();
  OpRef at = out.at.is_result() ? out.at.definer() : OpRef();
  if (at.valid() && at.is(GraphOp::Cast)) at = at.operand(0).is_result() ? at.operand(0).definer() : OpRef();
  const ApplyRef applied = at.valid() ? ApplyRef::from(at) : ApplyRef();
  if (!applied.valid()) return no();
  IndexPool& pool = loop.op().module().context().index();
  if (over_values(at, applied.value()) != of_value(loop.index()) || loop.first() != pool.constant(0) ||
      !is_literal(loop.initial(1), 0, 0))
    return refuse<kScheduleNotApplicable>(index_name(loop), "take its index, from 0 on, as the position");
  TransformResult plain;
  walk(loop.op(), [&](OpRef op) {
    if (op == loop.op()) return;
    if (!only_computes(op) || op.region_count() > 0)
      plain = refuse<kScheduleUnsupportedOp>(index_name(loop), op.name(), "computed twice");
  });
  if (!plain) return refuse(plain.error());
  return out;
}

// What nothing reads goes, from the last op to the first.
void erase_unread(RegionRef region) {
  std::vector<OpRef> ops;
  for (const OpRef op : region.ops()) ops.push_back(op);
  for (std::size_t i = ops.size() - 1; i-- > 0;)
    if (ops[i].results_unused() && only_computes(ops[i])) ops[i].erase();
}

class Split {
 public:
  Split(ForRef loop, Pair pair)
      : loop_(loop),
        pair_(pair),
        context_(loop.op().module().context()),
        pool_(context_.index()),
        builder_(loop.op().module()) {}

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
    const Value none = apply(ScalarFn::Eq, std::array{places.result(0), nowhere_}, Dtype::I1);
    loop.result(0).replace_all_uses_with(best.result(0));
    loop.result(1).replace_all_uses_with(choose(none, loop_.initial(1), places.result(0)));
    move_strategy(loop, made);
    loop.erase();
    return made;
  }

 private:
  OpRef extremum(IndexExpr first, IndexExpr last) {
    const OpRef made = copy(loop_.initial(0), fresh_name(loop_.op(), stem() + "_b"), first, last);
    const Value taken[] = {map_.find(pair_.value), made.region(0).argument(1)};
    end(made, apply(pair_.fn, taken, loop_.carried(0).dtype()));
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
    const Value from = LiteralRef::create(builder_, Dtype::I64, 0, 0).op().result();
    const OpRef made = new_loop(builder_, pool_.constant(0), pool_.ceildiv(count, pool_.constant(size)),
                                fresh_name(outer, stem() + "_p"), {loop_.initial(0), from});
    builder_.set_end(made.region(0));
    const Value tile = made.region(0).argument(0), best = made.region(0).argument(1);
    const IndexExpr place[] = {of_value(tile)};
    const Value v = load_of(builder_, extrema_, place);
    const bool most = pair_.fn == ScalarFn::Max;
    Value takes;
    if (is_float(best.dtype())) {
      const Value stays = apply(ScalarFn::Le, most ? std::array{v, best} : std::array{best, v}, Dtype::I1);
      const Value nan = apply(ScalarFn::IsNan, std::array{best}, Dtype::I1);
      takes = apply(ScalarFn::And,
                    std::array{apply(ScalarFn::Not, std::array{nan}, Dtype::I1),
                               apply(ScalarFn::Not, std::array{stays}, Dtype::I1)},
                    Dtype::I1);
    } else {
      takes = apply(ScalarFn::Lt, most ? std::array{best, v} : std::array{v, best}, Dtype::I1);
    }
    std::vector<Value> operands;
    const Attribute number = brackets(loop_.op().module(), operands, place);
    const Value at = ApplyRef::create(builder_, operands, number).op().result();
    const Value next[] = {choose(takes, v, best), choose(takes, at, made.region(0).argument(2))};
    builder_.create(context_.opcode(LoopOp::Yield), next, {}, {});
    return made;
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
    const OpRef places = copy(nowhere_, stem(), first, last);
    const Value v = map_.find(pair_.value), at = map_.find(pair_.at);
    Value hit = apply(ScalarFn::Eq, std::array{v, best.result(0)}, Dtype::I1);
    if (is_float(dtype))
      hit = apply(ScalarFn::Or, std::array{hit, apply(ScalarFn::IsNan, std::array{v}, Dtype::I1)}, Dtype::I1);
    const Value found[] = {choose(hit, at, nowhere_), places.region(0).argument(1)};
    end(places, apply(ScalarFn::Min, found, width));
    return places;
  }

  [[nodiscard]] std::string stem() const { return std::string(loop_.index().name()); }

  // A loop with a copy of the body, at whose end the builder stands.
  OpRef copy(Value initial, const std::string& name, IndexExpr first, IndexExpr last) {
    const OpRef made = new_loop(builder_, first, last, name, {initial});
    map_ = {};
    map_.set(loop_.index(), made.region(0).argument(0));
    for (std::size_t i = 0; i < 2; ++i) map_.set(loop_.carried(i), loop_.initial(i));
    builder_.set_end(made.region(0));
    clone_ops(loop_.body(), builder_, map_, true);
    return made;
  }
  void end(OpRef made, Value next) {
    builder_.create(context_.opcode(LoopOp::Yield), std::array{next}, {}, {});
    erase_unread(made.region(0));
  }
  Value apply(ScalarFn fn, std::span<const Value> operands, Dtype dtype) {
    const Type type[] = {context_.types().scalar(dtype)};
    return builder_.create(scalar_ops(context_).find(fn), operands, {}, type).result();
  }
  Value choose(Value condition, Value yes, Value no) {
    const Value operands[] = {condition, yes, no};
    const Type type[] = {yes.type()};
    return builder_.create(scalar_ops(context_).choice(), operands, {}, type).result();
  }

  ForRef loop_;
  Pair pair_;
  Context& context_;
  IndexPool& pool_;
  Builder builder_;
  ValueMap map_;
  Value nowhere_, extrema_;
};

}  // namespace

TransformResult is_argument_loop(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "split-argument: no loop");
  const auto pair = pair_of(of);
  if (!pair) return refuse(pair.error());
  return {};
}

TransformResult split_argument(OpRef loop, std::int64_t size) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid() && size >= 0, "split-argument: no loop");
  const auto pair = pair_of(of);
  if (!pair) return refuse(pair.error());
  if (size > 0 && !loop.parent_op().is(LoopOp::Func))
    return refuse<kScheduleOuterLoops>(index_name(of), "`" + std::string(loop.parent_op().name()) + "`",
                                       "none around it, since threads share its tiles");
  if (size > 0 && !is_size(loop.module().context().index(), over_values(loop, of.last())))
    return refuse<kScheduleTripCountNotASize>(index_name(of));
  (void)Split(of, *pair).run(size);
  return {};
}

}  // namespace mlgc
