// See argument_loop.h.
#include "schedule/argument_loop.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/op_table.h"
#include "ops/scalar_ops.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

namespace {

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

// The number that the value is, cast perhaps, over values.
std::optional<IndexExpr> expression_of(Value v) {
  if (!v.is_result()) return std::nullopt;
  OpRef op = v.definer();
  if (op.is(GraphOp::Cast)) op = op.operand(0).is_result() ? op.operand(0).definer() : OpRef();
  if (!op.valid()) return std::nullopt;
  if (const LiteralRef literal = LiteralRef::from(op); literal.valid() && literal.integer())
    return op.module().context().index().constant(*literal.integer());
  const ApplyRef applied = ApplyRef::from(op);
  if (!applied.valid()) return std::nullopt;
  return over_values(op, applied.value());
}

IndexExpr with_index(ForRef loop, IndexExpr e, IndexExpr index) {
  IndexPool& pool = loop.op().module().context().index();
  const AtomId own = *pool.as_atom(of_value(loop.index()));
  return pool.substitute(e, [&](AtomId id) { return id == own ? std::optional(index) : std::nullopt; });
}

// The loops from the outside, each of which carries on what the one inside of it gives. Empty: they carry more.
std::vector<ForRef> loops_of_pair(ForRef loop) {
  std::vector<ForRef> out;
  for (ForRef at = loop;;) {
    if (at.carried_count() != 2 || at.kind() != LoopKind::Serial) return {};
    out.push_back(at);
    const OpRef first = at.body().front();
    const ForRef inner = ForRef::from(first);
    if (!inner.valid() || !first.next().is(LoopOp::Yield)) return out;
    const OpRef end = first.next();
    for (std::size_t i = 0; i < 2; ++i) {
      const bool goes_through = inner.carried_count() == 2 && inner.initial(i) == at.carried(i) &&
                                end.operand(i) == first.result(i) && at.carried(i).has_one_use();
      if (!goes_through) return {};
    }
    at = inner;
  }
}

// Whether positions grow: by the number of iterations of the loops inside from one iteration to the next.
bool grows(const std::vector<ForRef>& loops, IndexExpr position) {
  IndexPool& pool = loops.front().op().module().context().index();
  IndexExpr step = pool.constant(1);
  for (std::size_t i = loops.size(); i-- > 0;) {
    const ForRef loop = loops[i];
    const IndexExpr next = with_index(loop, position, pool.add(of_value(loop.index()), pool.constant(1)));
    if (pool.sub(next, position) != step) return false;
    const IndexExpr count = pool.sub(over_values(loop.op(), loop.last()), over_values(loop.op(), loop.first()));
    if (i > 0 && !is_size(pool, count)) return false;
    step = pool.mul(step, count);
  }
  return true;
}

}  // namespace

Result<ArgumentNest, Diagnostic> argument_nest(OpRef outermost) {
  const ForRef loop = ForRef::from(outermost);
  MLGC_ASSERT(loop.valid(), "argument loop: no loop");
  const auto no = [&] {
    return refuse<kScheduleNotApplicable>(index_name(loop), "carry an extremum and its position");
  };
  ArgumentNest out;
  out.loops = loops_of_pair(loop);
  if (out.loops.empty()) return no();
  const ForRef inner = out.loops.back();
  const OpRef end = inner.body().terminator();
  const Opcode choice = scalar_ops(loop.op().module().context()).choice();
  const Value best = inner.carried(0), place = inner.carried(1);
  std::array<OpRef, 2> picks;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!end.operand(i).is_result()) return no();
    picks[i] = end.operand(i).definer();
    if (picks[i].opcode() != choice || picks[i].operand(2) != inner.carried(i)) return no();
  }
  if (picks[0].operand(0) != picks[1].operand(0)) return no();
  out.value = picks[0].operand(1);
  out.at = picks[1].operand(1);
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
  const std::optional<IndexExpr> position = expression_of(out.at), from = expression_of(loop.initial(1));
  if (!position || !from) return no();
  out.begin = *position;
  for (std::size_t i = out.loops.size(); i-- > 1;)
    out.begin = with_index(out.loops[i], out.begin, over_values(out.loops[i].op(), out.loops[i].first()));
  if (!grows(out.loops, *position) || with_index(loop, out.begin, over_values(loop.op(), loop.first())) != *from)
    return refuse<kScheduleNotApplicable>(index_name(loop),
                                          "take the number of its iteration as the position, from the first one on");
  TransformResult plain;
  walk(loop.op(), [&](OpRef op) {
    const bool is_loop = std::any_of(out.loops.begin(), out.loops.end(), [&](ForRef of) { return of.op() == op; });
    if (!is_loop && (!only_computes(op) || op.region_count() > 0))
      plain = refuse<kScheduleUnsupportedOp>(index_name(loop), op.name(), "computed twice");
  });
  if (!plain) return refuse(plain.error());
  return out;
}

Value apply_scalar(Builder& builder, ScalarFn fn, std::span<const Value> operands, Dtype dtype) {
  Context& context = builder.context();
  const Type type[] = {context.types().scalar(dtype)};
  return builder.create(scalar_ops(context).find(fn), operands, {}, type).result();
}

Value choose_value(Builder& builder, Value condition, Value yes, Value no) {
  const Value operands[] = {condition, yes, no};
  const Type type[] = {yes.type()};
  return builder.create(scalar_ops(builder.context()).choice(), operands, {}, type).result();
}

Value number_of(Builder& builder, IndexExpr e) {
  std::vector<Value> operands;
  const Attribute number = brackets(builder.module(), operands, std::array{e});
  return ApplyRef::create(builder, operands, number).op().result();
}

OpRef best_part(Builder& builder, ScalarFn fn, Value results, std::span<const IndexExpr> place, IndexExpr count,
                const std::string& name, Value worst) {
  const Value from = LiteralRef::create(builder, Dtype::I64, 0, 0).op().result();
  const OpRef made = new_loop(builder, builder.context().index().constant(0), count, name, {worst, from});
  builder.set_end(made.region(0));
  const Value part = made.region(0).argument(0), best = made.region(0).argument(1);
  std::vector<IndexExpr> at{of_value(part)};
  at.insert(at.end(), place.begin(), place.end());
  const Value v = load_of(builder, results, at);
  const bool most = fn == ScalarFn::Max;
  Value takes;
  if (is_float(best.dtype())) {
    const Value stays =
        apply_scalar(builder, ScalarFn::Le, most ? std::array{v, best} : std::array{best, v}, Dtype::I1);
    const Value nan = apply_scalar(builder, ScalarFn::IsNan, std::array{best}, Dtype::I1);
    const Value is_number = apply_scalar(builder, ScalarFn::Not, std::array{nan}, Dtype::I1);
    const Value is_more = apply_scalar(builder, ScalarFn::Not, std::array{stays}, Dtype::I1);
    takes = apply_scalar(builder, ScalarFn::And, std::array{is_number, is_more}, Dtype::I1);
  } else {
    takes = apply_scalar(builder, ScalarFn::Lt, most ? std::array{best, v} : std::array{v, best}, Dtype::I1);
  }
  const Value number = number_of(builder, of_value(part));
  const Value better = choose_value(builder, takes, v, best);
  const Value next[] = {better, choose_value(builder, takes, number, made.region(0).argument(2))};
  builder.create(builder.context().opcode(LoopOp::Yield), next, {}, {});
  return made;
}

}  // namespace mlgc::schedule
