// split-argument: the best of values and where it stands, carried side by side, become an extremum and the least
// position of what equals it, which lanes can each reduce.
//
//     for (%i, %b, %p) { %v = …; %c = …; yield where(%c, %v, %b), where(%c, %at, %p) }
// becomes
//     %m = for (%i, %b) { %v = …; yield maximum(%v, %b) }
//     %n = for (%i, %p = greatest) { %v = …; yield minimum(where(%v == %m or isnan(%v), %at, greatest), %p) }
//     where %n is the greatest: what the position started from
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
#include "schedule/steps.h"

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
Result<Pair, std::string> pair_of(ForRef loop) {
  const auto no = [] { return refuse("it does not carry the best of values, and where it stands"); };
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
    return refuse("its position is not its index, from 0 on");
  std::string why;
  walk(loop.op(), [&](OpRef op) {
    if (op == loop.op()) return;
    if (!only_computes(op)) why = "the loop does more than reduce";
    if (op.region_count() > 0) why = "its values would be computed twice, in branches or loops";
  });
  if (!why.empty()) return refuse(why);
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
      : loop_(loop), pair_(pair), context_(loop.op().module().context()), builder_(loop.op().module()) {}

  OpRef run() {
    const OpRef loop = loop_.op();
    builder_.set_before(loop);
    builder_.set_location(loop.location());
    const Dtype dtype = loop_.carried(0).dtype(), width = loop_.carried(1).dtype();
    const std::string name(loop_.index().name());

    const OpRef extremum = copy(loop_.initial(0), fresh_name(loop, name + "_b"));
    const Value taken[] = {map_.find(pair_.value), extremum.region(0).argument(1)};
    end(extremum, apply(pair_.fn, taken, dtype));
    builder_.set_before(loop);

    const std::int64_t most =
        width == Dtype::I32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
    const Value nowhere = LiteralRef::create(builder_, width, 0, most).op().result();
    const OpRef places = copy(nowhere, name);
    const Value v = map_.find(pair_.value), at = map_.find(pair_.at);
    Value hit = apply(ScalarFn::Eq, std::array{v, extremum.result(0)}, Dtype::I1);
    if (is_float(dtype))
      hit = apply(ScalarFn::Or, std::array{hit, apply(ScalarFn::IsNan, std::array{v}, Dtype::I1)}, Dtype::I1);
    const Value found[] = {choose(hit, at, nowhere), places.region(0).argument(1)};
    end(places, apply(ScalarFn::Min, found, width));
    builder_.set_before(loop);

    const Value none = apply(ScalarFn::Eq, std::array{places.result(0), nowhere}, Dtype::I1);
    loop.result(0).replace_all_uses_with(extremum.result(0));
    loop.result(1).replace_all_uses_with(choose(none, loop_.initial(1), places.result(0)));
    move_strategy(loop, extremum);
    loop.erase();
    return extremum;
  }

 private:
  // A loop of the same bounds with a copy of the body, at whose end the builder stands.
  OpRef copy(Value initial, const std::string& name) {
    const OpRef made = new_loop(builder_, over_values(loop_.op(), loop_.first()), over_values(loop_.op(), loop_.last()),
                                name, {initial});
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
  Builder builder_;
  ValueMap map_;
};

}  // namespace

StepResult is_argument_loop(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "split-argument: no loop");
  const auto pair = pair_of(of);
  if (!pair) return refuse(pair.error());
  return {};
}

StepResult split_argument(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "split-argument: no loop");
  const auto pair = pair_of(of);
  if (!pair) return refuse(pair.error());
  (void)Split(of, *pair).run();
  return {};
}

}  // namespace mlgc
