// See combine.h.
#include "ops/combine.h"

#include <array>
#include <limits>
#include <utility>

#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc {
namespace {

constexpr std::array<std::pair<std::string_view, ScalarFn>, 6> kWords{{{"add", ScalarFn::Add},
                                                                       {"mul", ScalarFn::Mul},
                                                                       {"max", ScalarFn::Max},
                                                                       {"min", ScalarFn::Min},
                                                                       {"or", ScalarFn::Or},
                                                                       {"and", ScalarFn::And}}};

ExprId combination_of(Context& context, ScalarFn fn, Type scalar) {
  const std::array operands{scalar, scalar};
  const auto value = scalar_value(context, scalar_ops(context).find(fn), operands, {});
  MLGC_ASSERT(value.ok() && value.value().has_value(), "a function that no row of the op table computes");
  return **value;
}

// `alone`: nothing else in the body uses the carried value, and the next one.
Result<CarriedStep, std::string> step_of(ForRef loop, std::size_t i, bool alone) {
  const auto fail = [](std::string why) { return Failure{std::move(why)}; };
  const OpRef end = loop.body().terminator();
  const Value carried = loop.carried(i);
  if (!end.valid() || i >= end.operand_count()) return fail("the body yields nothing for it");
  const OpRef step = end.operand(i).definer();
  if (!step.valid() || !(step.parent() == loop.body()))
    return fail("what the body yields is not computed in the body itself");
  Context& context = loop.op().module().context();
  std::vector<Type> types;
  std::size_t reads = 0;
  for (const Value v : step.operands()) {
    reads += v == carried ? 1 : 0;
    if (context.types().kind(v.type()) != TypeKind::Scalar)
      return fail("`" + std::string(step.name()) + "` works on no scalars");
    types.push_back(v.type());
  }
  if (reads != 1) return fail("`" + std::string(step.name()) + "` does not take the carried value once");
  if (alone && !carried.has_one_use()) return fail("the body uses the carried value elsewhere too");
  if (alone && !end.operand(i).has_one_use()) return fail("the body uses the next value elsewhere too");
  FormulaPool& pool = formulas(context);
  if (const FmaRef fma = FmaRef::from(step); fma.valid()) {
    if (fma.addend() != carried) return fail("`fma` multiplies the carried value");
    return CarriedStep{step, ScalarFn::Add, combination_of(context, ScalarFn::Add, carried.type())};
  }
  const auto value = scalar_value(context, step.opcode(), types, step.attrs());
  const bool computes = value && *value && pool.node(**value).kind == NodeKind::Call;
  if (!computes || combine_word(pool.fn(**value)).empty())
    return fail("`" + std::string(step.name()) + "` is none of " + std::string(kCombineWords) + " on these operands");
  const std::vector<ExprId> arguments = pool.arguments(**value);
  for (std::size_t a = 0; a < arguments.size(); ++a)
    if (pool.node(arguments[a]).kind != NodeKind::Read || pool.read_of(arguments[a]).tensor.index() != a)
      return fail("`" + std::string(step.name()) + "` changes its operands first");
  return CarriedStep{step, pool.fn(**value), **value};
}

}  // namespace

std::optional<ScalarFn> combine_function(std::string_view word) {
  for (const auto& [name, fn] : kWords)
    if (name == word) return fn;
  return std::nullopt;
}

std::string_view combine_word(ScalarFn fn) {
  for (const auto& [name, known] : kWords)
    if (known == fn) return name;
  return {};
}

NeutralElement neutral_element(ScalarFn fn, Dtype dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (fn) {
    case ScalarFn::Mul:
    case ScalarFn::And: return {1, 1};
    case ScalarFn::Max:
    case ScalarFn::Min: {
      const auto [least, most] = extreme_integers(dtype);
      return fn == ScalarFn::Max ? NeutralElement{-kInfinity, least} : NeutralElement{kInfinity, most};
    }
    default: return {0, 0};
  }
}

Result<CarriedStep, std::string> carried_step(ForRef loop, std::size_t i) { return step_of(loop, i, true); }
Result<CarriedStep, std::string> running_step(ForRef loop, std::size_t i) { return step_of(loop, i, false); }

}  // namespace mlgc
