// Reductions as nests that carry their accumulators.
//
//     sum, prod       one accumulator, f64 for floats and i64 for integers, rounded once behind the nest; f32 for one
//                     term of f32
//     max, min        one accumulator in the type of the body; NaN is the extremum, the first of equal values stays
//     any, all        one i1
//     argmax, argmin  the best value and its linear index, in 32 bits where that is known to be enough; under a guard
//                     the index is -1 until something was seen
#include <algorithm>
#include <limits>

#include "loops/lowering.h"
#include "support/saturating.h"

namespace mlgc::loops {
namespace {

bool is_argument(Reduction r) { return r == Reduction::ArgMax || r == Reduction::ArgMin; }
bool is_largest(Reduction r) { return r == Reduction::Max || r == Reduction::ArgMax; }
bool is_extremum(Reduction r) { return is_argument(r) || r == Reduction::Max || r == Reduction::Min; }

}  // namespace

Lowering::Values Lowering::step(const ReduceParts& parts, Dtype type, IndexExpr position, const Values& carried) {
  const Value value = cast(emit(parts.body), type);
  const Value best = carried[0];
  switch (parts.reduction) {
    case Reduction::Sum: return {apply(ScalarFn::Add, {best, value}, type)};
    case Reduction::Prod: return {apply(ScalarFn::Mul, {best, value}, type)};
    case Reduction::Any: return {apply(ScalarFn::Or, {best, value}, type)};
    case Reduction::All: return {apply(ScalarFn::And, {best, value}, type)};
    // The new value comes first: it is taken when it is NaN or better, else the old one stays.
    case Reduction::Max: return {apply(ScalarFn::Max, {value, best}, type)};
    case Reduction::Min: return {apply(ScalarFn::Min, {value, best}, type)};
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  // Better, or NaN where the best is none: what is neither NaN nor at most the best.
  const bool largest = is_largest(parts.reduction);
  Value better;
  if (is_float(type)) {
    const Value stays =
        largest ? apply(ScalarFn::Le, {value, best}, Dtype::I1) : apply(ScalarFn::Le, {best, value}, Dtype::I1);
    const Value numbers = apply(ScalarFn::Not, {apply(ScalarFn::IsNan, {best}, Dtype::I1)}, Dtype::I1);
    better = apply(ScalarFn::And, {numbers, apply(ScalarFn::Not, {stays}, Dtype::I1)}, Dtype::I1);
  } else {
    better = largest ? apply(ScalarFn::Lt, {best, value}, Dtype::I1) : apply(ScalarFn::Lt, {value, best}, Dtype::I1);
  }
  const Dtype width = carried[1].dtype();
  if (parts.guard.valid() && !pool_.is_literal(parts.guard, 1)) {
    const Value first = apply(ScalarFn::Lt, {carried[1], constant(width, 0, 0)}, Dtype::I1);
    better = apply(ScalarFn::Or, {first, better}, Dtype::I1);
  }
  const Value at = cast(applied(position), width);
  return {choose(better, value, best), choose(better, at, carried[1])};
}

Lowering::Accumulator Lowering::start_reduce(ExprId e) {
  const ReduceParts parts = pool_.reduce_of(e);
  const Reduction kind = parts.reduction;
  const Dtype body = held(pool_.type(parts.body));
  const Dtype result = held(pool_.type(e));
  Dtype type = body;
  // One term is not rounded: f32 has the same bits as f64, the sign of 0 + -0 too.
  const bool one = body == Dtype::F32 && result == Dtype::F32 &&
                   std::all_of(parts.letters.begin(), parts.letters.end(), [&](AtomId l) { return is_unit(l); });
  if ((kind == Reduction::Sum || kind == Reduction::Prod) && !one) type = is_float(body) ? Dtype::F64 : Dtype::I64;
  if (kind == Reduction::Any || kind == Reduction::All) type = Dtype::I1;

  // The extremum of nothing is an error unless a guard says that there may be nothing.
  if (is_extremum(kind) && (is_argument(kind) || !parts.guard.valid())) {
    std::vector<IndexExpr> some;
    for (const AtomId l : parts.letters) {
      const IndexExpr least = index_.sub(index_.atom(l).a, index_.constant(1));
      if (!is_known(least)) some.push_back(least);
    }
    if (!some.empty()) {
      check(some, "`" + std::string(reduction_name(kind)) + "` over an empty extent");
    }
  }

  const double infinity = std::numeric_limits<double>::infinity();
  Values initial;
  switch (kind) {
    case Reduction::Sum:
    case Reduction::Any: initial.push_back(constant(type, 0, 0)); break;
    case Reduction::Prod:
    case Reduction::All: initial.push_back(constant(type, 1, 1)); break;
    default: {
      const bool largest = is_largest(kind);
      std::int64_t worst = 0;
      if (!is_float(type)) worst = largest ? extreme_integers(type).first : extreme_integers(type).second;
      initial.push_back(constant(type, largest ? -infinity : infinity, worst));
      // Of elements that nothing leaves out the first one is the best where none is better than what is worst.
      const bool all = !parts.guard.valid() || pool_.is_literal(parts.guard, 1);
      if (is_argument(kind)) initial.push_back(constant(position_dtype(parts), 0, all ? 0 : -1));
    }
  }
  IndexExpr position = index_.constant(0);
  for (const AtomId l : parts.letters)
    position = index_.add(index_.mul(position, index_.atom(l).a), index_.from_atom(l));
  return {parts, type, result, position, std::move(initial)};
}

Dtype Lowering::position_dtype(const ReduceParts& parts) {
  std::int64_t count = 1;
  for (const AtomId l : parts.letters)
    count =
        saturating_mul(count, index_.as_constant(index_.atom(l).a).value_or(std::numeric_limits<std::int64_t>::max()));
  return count <= std::numeric_limits<std::int32_t>::max() ? Dtype::I32 : Dtype::I64;
}

Value Lowering::end_reduce(const Accumulator& of, const Values& reduced) {
  if (is_argument(of.parts.reduction)) {
    const Value at = cast(reduced[1], Dtype::I64);
    if (!of.parts.guard.valid() || pool_.is_literal(of.parts.guard, 1)) return at;
    return apply(ScalarFn::Max, {at, constant(Dtype::I64, 0, 0)}, Dtype::I64);
  }
  return cast(reduced[0], of.result);
}

Value Lowering::emit_reduce(ExprId e) {
  const Accumulator of = start_reduce(e);
  return end_reduce(of, nest(plan_nest(of.parts.letters, of.parts.guard), false, of.initial,
                             [&](const Values& carried) { return step(of.parts, of.type, of.position, carried); }));
}

}  // namespace mlgc::loops
