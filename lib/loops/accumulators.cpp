// See accumulators.h.
#include "loops/accumulators.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "fusion/kernel_body.h"
#include "support/saturating.h"

namespace mlgc::loops {
namespace {

bool is_argument(Reduction r) { return r == Reduction::ArgMax || r == Reduction::ArgMin; }
bool is_largest(Reduction r) { return r == Reduction::Max || r == Reduction::ArgMax; }
bool is_extremum(Reduction r) { return is_argument(r) || r == Reduction::Max || r == Reduction::Min; }

}  // namespace

bool Accumulators::must_have_elements(const ReduceParts& parts) {
  return is_extremum(parts.reduction) && (is_argument(parts.reduction) || !parts.guard.valid());
}

bool Accumulators::has_all(const ReduceParts& parts) const {
  return !parts.guard.valid() || pool_.is_literal(parts.guard, 1);
}

std::vector<Value> Accumulators::step(const Accumulator& of, Value body, const std::function<Value()>& position,
                                      const std::vector<Value>& carried) {
  const Dtype type = of.type;
  const Value value = ops_.cast(body, type);
  const Value best = carried[0];
  switch (of.parts.reduction) {
    case Reduction::Sum: return {ops_.apply(ScalarFn::Add, {best, value}, type)};
    case Reduction::Prod: return {ops_.apply(ScalarFn::Mul, {best, value}, type)};
    case Reduction::Any: return {ops_.apply(ScalarFn::Or, {best, value}, type)};
    case Reduction::All: return {ops_.apply(ScalarFn::And, {best, value}, type)};
    // The new value comes first: it is taken when it is NaN or better, else the old one stays.
    case Reduction::Max: return {ops_.apply(ScalarFn::Max, {value, best}, type)};
    case Reduction::Min: return {ops_.apply(ScalarFn::Min, {value, best}, type)};
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  const auto test = [&](ScalarFn fn, std::initializer_list<Value> operands) {
    return ops_.apply(fn, operands, Dtype::I1);
  };
  // Better, or NaN where the best is none: what is neither NaN nor at most the best.
  const bool largest = is_largest(of.parts.reduction);
  Value better;
  if (is_float(type)) {
    const Value stays = largest ? test(ScalarFn::Le, {value, best}) : test(ScalarFn::Le, {best, value});
    const Value numbers = test(ScalarFn::Not, {test(ScalarFn::IsNan, {best})});
    better = test(ScalarFn::And, {numbers, test(ScalarFn::Not, {stays})});
  } else {
    better = largest ? test(ScalarFn::Lt, {best, value}) : test(ScalarFn::Lt, {value, best});
  }
  const Dtype width = carried[1].dtype();
  if (!has_all(of.parts)) {
    const Value first = test(ScalarFn::Lt, {carried[1], ops_.constant(width, 0, 0)});
    better = test(ScalarFn::Or, {first, better});
  }
  const Value at = ops_.cast(position(), width);
  return {ops_.choose(better, value, best), ops_.choose(better, at, carried[1])};
}

Accumulator Accumulators::start(ExprId reduce) {
  const ReduceParts parts = pool_.reduce_of(reduce);
  const Reduction kind = parts.reduction;
  IndexPool& index = pool_.index();
  const Dtype body = held(pool_.type(parts.body));
  const Dtype result = held(pool_.type(reduce));
  Dtype type = body;
  // One term is not rounded: f32 has the same bits as f64, the sign of 0 + -0 too.
  const bool one = body == Dtype::F32 && result == Dtype::F32 &&
                   std::all_of(parts.labels.begin(), parts.labels.end(), [&](AtomId l) { return is_unit(index, l); });
  if ((kind == Reduction::Sum || kind == Reduction::Prod) && !one) type = is_float(body) ? Dtype::F64 : Dtype::I64;
  if (kind == Reduction::Any || kind == Reduction::All) type = Dtype::I1;

  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Value> initial;
  switch (kind) {
    case Reduction::Sum:
    case Reduction::Any: initial.push_back(ops_.constant(type, 0, 0)); break;
    case Reduction::Prod:
    case Reduction::All: initial.push_back(ops_.constant(type, 1, 1)); break;
    default: {
      const bool largest = is_largest(kind);
      std::int64_t worst = 0;
      if (!is_float(type)) worst = largest ? extreme_integers(type).first : extreme_integers(type).second;
      initial.push_back(ops_.constant(type, largest ? -infinity : infinity, worst));
      // Of elements that nothing leaves out the first one is the best where none is better than what is worst.
      if (is_argument(kind)) initial.push_back(ops_.constant(position_dtype(parts), 0, has_all(parts) ? 0 : -1));
    }
  }
  IndexExpr position = index.constant(0);
  for (const AtomId l : parts.labels) position = index.add(index.mul(position, index.atom(l).a), index.from_atom(l));
  return {parts, type, result, position, std::move(initial)};
}

Dtype Accumulators::position_dtype(const ReduceParts& parts) const {
  const IndexPool& index = pool_.index();
  std::int64_t count = 1;
  for (const AtomId l : parts.labels)
    count =
        saturating_mul(count, index.as_constant(index.atom(l).a).value_or(std::numeric_limits<std::int64_t>::max()));
  return count <= std::numeric_limits<std::int32_t>::max() ? Dtype::I32 : Dtype::I64;
}

Value Accumulators::end(const Accumulator& of, const std::vector<Value>& reduced) {
  if (is_argument(of.parts.reduction)) {
    const Value at = ops_.cast(reduced[1], Dtype::I64);
    if (has_all(of.parts)) return at;
    return ops_.apply(ScalarFn::Max, {at, ops_.constant(Dtype::I64, 0, 0)}, Dtype::I64);
  }
  return ops_.cast(reduced[0], of.result);
}

}  // namespace mlgc::loops
