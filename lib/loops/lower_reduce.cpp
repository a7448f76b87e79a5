// Reductions as nests that carry their accumulators.
//
//     sum, prod       one accumulator, f64 for floats and i64 for integers, rounded once behind the nest
//     max, min        one accumulator in the type of the body; NaN is the extremum, the first of equal values stays
//     any, all        one i1
//     argmax, argmin  the best value and its linear index; the index is -1 until something was seen
#include <limits>

#include "loops/lowering.h"

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
  const bool largest = is_largest(parts.reduction);
  Value better =
      largest ? apply(ScalarFn::Lt, {best, value}, Dtype::I1) : apply(ScalarFn::Lt, {value, best}, Dtype::I1);
  if (is_float(type)) {
    const Value numbers = apply(ScalarFn::Not, {apply(ScalarFn::IsNan, {best}, Dtype::I1)}, Dtype::I1);
    better = apply(ScalarFn::Or, {better, apply(ScalarFn::IsNan, {value}, Dtype::I1)}, Dtype::I1);
    better = apply(ScalarFn::And, {numbers, better}, Dtype::I1);
  }
  const Value first = apply(ScalarFn::Lt, {carried[1], constant(Dtype::I64, 0, 0)}, Dtype::I1);
  better = apply(ScalarFn::Or, {first, better}, Dtype::I1);
  const Value at = applied(position);
  return {choose(better, value, best), choose(better, at, carried[1])};
}

Lowering::Accumulator Lowering::start_reduce(ExprId e) {
  const ReduceParts parts = pool_.reduce_of(e);
  const Reduction kind = parts.reduction;
  const Dtype body = held(pool_.type(parts.body));
  const Dtype result = held(pool_.type(e));
  Dtype type = body;
  if (kind == Reduction::Sum || kind == Reduction::Prod) type = is_float(body) ? Dtype::F64 : Dtype::I64;
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
      if (is_argument(kind)) initial.push_back(constant(Dtype::I64, 0, -1));
    }
  }
  IndexExpr position = index_.constant(0);
  for (const AtomId l : parts.letters)
    position = index_.add(index_.mul(position, index_.atom(l).a), index_.from_atom(l));
  return {parts, type, result, position, std::move(initial)};
}

Value Lowering::end_reduce(const Accumulator& of, const Values& reduced) {
  if (is_argument(of.parts.reduction))
    return apply(ScalarFn::Max, {reduced[1], constant(Dtype::I64, 0, 0)}, Dtype::I64);
  return cast(reduced[0], of.result);
}

Value Lowering::emit_reduce(ExprId e) {
  const Accumulator of = start_reduce(e);
  return end_reduce(of, nest(plan_nest(of.parts.letters, of.parts.guard), false, of.initial,
                             [&](const Values& carried) { return step(of.parts, of.type, of.position, carried); }));
}

}  // namespace mlgc::loops
