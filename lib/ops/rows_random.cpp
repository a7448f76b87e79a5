// Rows that draw random numbers: pure functions of a key (seed and offset) and of the place in the result. Element i
// uses the counter offset + i of Philox 4x32, so that the caller advances the offset by the number of elements. PyTorch
// draws other numbers from the same seed, by its own order of the generator.
#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_table.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

// The seed and the offset must be there: formulas read them unseen.
std::optional<Diagnostic> check_key(const OpTypes& types, std::string_view op, std::size_t operand) {
  if (types.rank(operand) == 1 && types.is(operand, 0, 2)) return std::nullopt;
  std::string sizes;
  for (std::size_t d = 0; d < types.rank(operand); ++d)
    sizes = joined({sizes, types.index().print(types.dim(operand, d))});
  return diagnose<kOperandClass>({}, types.name(operand), op, "of sizes [" + sizes + "]",
                                 "two integers, a seed and an offset");
}

// As many random bits as the significand has, so that 1 is never reached by rounding.
Text uniform_text(const OpTypes& types, const Attrs& attrs) {
  if (auto wrong = check_key(types, "uniform", 0)) return Failure{*std::move(wrong)};
  const Dtype dtype = attrs.dtype("dtype").value_or(Dtype::F32);
  const int bits = dtype == Dtype::F64 ? 53 : dtype == Dtype::F16 ? 11 : dtype == Dtype::BF16 ? 8 : 24;
  const std::int64_t count = std::int64_t{1} << bits;
  return "y[B..] = cast(bitand(philox(key[0], key[1] + linear(B..)), " + std::to_string(count - 1) + "), dtype)/" +
         std::to_string(count) + " where B.. = size";
}

Text randint_text(const OpTypes& types, const Attrs&) {
  if (auto wrong = check_key(types, "randint", 0)) return Failure{*std::move(wrong)};
  return std::string(
      "y[B..] = low + bitand(philox(key[0], key[1] + linear(B..)), 4611686018427387903) % (high - low) where B.. = "
      "size");
}

// 24 bits each of f32 or f64: f16 would have no number as large.
Text normal_text(const OpTypes& types, const Attrs& attrs) {
  if (auto wrong = check_key(types, "normal", 0)) return Failure{*std::move(wrong)};
  const std::string wide = attrs.dtype("dtype") == Dtype::F64 ? "f64" : "f32";
  return "u[B..] = (" + wide + "(bitand(philox(key[0], key[1] + linear(B..)), 16777215)) + 1)/16777216 where B.. = " +
         "size; v[B..] = " + wide +
         "(bitand(philox(key[0], key[1] + linear(B..)) // 16777216, 16777215))/16777216 where B.. = size; y[B..] = "
         "cast(sqrt((0 - 2)*log(u[B..]))*cos((2*pi)*v[B..]), dtype)";
}

Text dropout_text(const OpTypes& types, const Attrs&) {
  if (auto wrong = check_key(types, "dropout", 1)) return Failure{*std::move(wrong)};
  const std::string all = labels(0, types.rank(0));
  std::string position, sizes;
  for (std::size_t i = 0; i < types.rank(0); ++i) {
    const std::string label = "d" + std::to_string(i), size = dim_text(types, 0, i);
    position = position.empty() ? label : "(" + position + ")*" + size + " + " + label;
    sizes = joined({sizes, label + " = " + size});
  }
  if (position.empty()) position = "0";
  return "u[" + all + "] = f32(bitand(philox(key[0], key[1] + " + position + "), 16777215))/16777216" +
         (sizes.empty() ? "" : " where " + sizes) + "; y[" + all + "] = select(u[" + all + "] >= p, x[" + all +
         "]*(1.0/(1.0 - p)), 0); mask[" + all + "] = u[" + all + "] >= p";
}

// Element i draws with the counter key[1] + i.
Text bernoulli_text(const OpTypes& types, const Attrs&) {
  if (auto wrong = check_key(types, "bernoulli", 1)) return Failure{*std::move(wrong)};
  std::string position;
  for (std::size_t i = 0; i < types.rank(0); ++i) {
    const std::string label = "d" + std::to_string(i);
    position = position.empty() ? label : "(" + position + ")*" + dim_text(types, 0, i) + " + " + label;
  }
  const std::string all = labels(0, types.rank(0));
  return "y[" + all + "] = like(f64(bitand(philox(key[0], key[1] + " + (position.empty() ? "0" : position) +
         "), 9007199254740991))/9007199254740992 < f64(p[" + all + "]), p[" + all + "])";
}

constexpr OpDef kRandomRows[] = {
    {.name = "philox",
     .summary = "64 random bits that depend on a key and a counter only: Philox 4x32 with ten rounds.",
     .tier = Tier::Formula,
     .formula = "philox(key, counter)",
     .operands = {{.name = "key", .elements = ElementClass::Integer},
                  {.name = "counter", .elements = ElementClass::Integer}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Elementwise | Traits::Random,
     .example = "philox([0], [0]) == [-2204013331526194987]"},
    {.name = "uniform",
     .summary = "Random numbers from 0 to 1, 1 excluded.",
     .tier = Tier::Formula,
     .operands = {{.name = "key", .elements = ElementClass::Integer}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .fallback = "f32"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Random,
     .hooks = {.build = uniform_text},
     .example = "uniform([0, 0]) {size = [2]} == [0.1558964849, 0.8937475681]",
     .aten = {"aten.rand.default"}},
    {.name = "randint",
     .summary = "Random whole numbers from low to high, high excluded.",
     .tier = Tier::Formula,
     .operands = {{.name = "key", .elements = ElementClass::Integer}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "low", .kind = AttributeKind::Int, .fallback = "0"},
               {.name = "high", .kind = AttributeKind::Int, .required = true}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Random,
     .hooks = {.build = randint_text},
     .example = "randint([0, 0]) {size = [2], high = 1} == [0, 0]",
     .aten = {"aten.randint.low"}},
    {.name = "normal",
     .summary = "Random numbers of the standard normal distribution.",
     .tier = Tier::Composite,
     .operands = {{.name = "key", .elements = ElementClass::Integer}},
     .attrs = {{.name = "size", .kind = AttributeKind::IntList, .required = true},
               {.name = "dtype", .kind = AttributeKind::Dtype, .fallback = "f32"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Random,
     .hooks = {.build = normal_text},
     .example = "normal([0, 0]) {size = [0]} == []:f32",
     .aten = {"aten.randn.default"}},
    {.name = "bernoulli",
     .summary = "1 with the probability that each element gives, else 0.",
     .tier = Tier::Formula,
     .operands = {{.name = "p", .elements = ElementClass::Float}, {.name = "key", .elements = ElementClass::Integer}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Random,
     .hooks = {.build = bernoulli_text},
     .example = "bernoulli([0.0, 1.0], [0, 0]) == [0.0, 1.0]",
     .aten = {"aten.bernoulli.p", "aten.bernoulli.default"}},
    {.name = "dropout",
     .summary = "Sets elements to zero with probability p and scales the others; the mask says which stay.",
     .tier = Tier::Composite,
     .operands = {{.name = "x", .elements = ElementClass::Float}, {.name = "key", .elements = ElementClass::Integer}},
     .attrs = {{.name = "p", .kind = AttributeKind::Float, .fallback = "0.5"}},
     .result_count = 2,
     .result_names = {"y", "mask"},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .traits = Traits::Random,
     .hooks = {.build = dropout_text},
     .example = "dropout([1.0, 2.0], [0, 0]) {p = 0.0} == [1.0, 2.0], [true, true]",
     .aten = {"aten.native_dropout.default", "aten.dropout.default"}},
};

constexpr auto kRandomFamily = family<kRandomRows>();

}  // namespace

std::span<const OpDef* const> random_rows() { return kRandomFamily; }

}  // namespace mlgc
