// Any bytes as a formula over fixed operands: a ground formula or a refusal; what is a formula is well formed, prints,
// and reads back as the same text. The first byte picks the operands.
#include <cstdint>

#include "formula/instantiate.h"
#include "fuzz_support.h"

namespace mlgc::fuzz {
namespace {

std::vector<FormulaOperand> operands_of(IndexPool& index, unsigned choice) {
  const auto c = [&](std::int64_t value) { return index.constant(value); };
  const IndexExpr b = index.symbol("B"), s = index.symbol("S");
  const IndexExpr half = index.floordiv(index.add(s, c(1)), c(2));
  const Dtype dtype = choice % 3 == 0 ? Dtype::F32 : choice % 3 == 1 ? Dtype::I64 : Dtype::BF16;
  std::vector<FormulaOperand> operands{
      {"x", true, dtype, {b, c(4), s, half}},
      {"w", true, dtype, {c(8), c(2), c(3), c(3)}},
      {"a", true, dtype, {b, s, c(3)}},
      {"b", true, dtype, {c(3), c(1)}},
      {"i", true, Dtype::I64, {b, c(5)}},
      {"condition", true, Dtype::I1, {c(1), c(3)}},
      {"weight", choice % 2 == 0, dtype, {c(4)}},
      {"z", true, Dtype::F64, {}},
      {"e", true, Dtype::UI8, {c(0), index.mul(b, s)}},
  };
  return operands;
}

AttrValues attributes_of(IndexPool& index) {
  const auto list = [&](std::int64_t first, std::int64_t second) {
    return AttrValue(std::vector<IndexExpr>{index.constant(first), index.constant(second)});
  };
  return {{{"alpha", 1.5},
           {"other", index.constant(2)},
           {"flag", true},
           {"axis", index.constant(-1)},
           {"axes", list(0, -1)},
           {"stride", list(2, 1)},
           {"padding", list(1, 0)},
           {"dilation", list(1, 2)},
           {"groups", index.constant(2)},
           {"k", index.sub(index.symbol("S"), index.constant(1))},
           {"dtype", Dtype::F16},
           {"reduction", std::string("mean")},
           {"scales", std::vector<double>{0.5, 2.0}}}};
}

void check_formula_text(const std::string& text, unsigned choice) {
  const auto context = make_context();
  FormulaPool& pool = formulas(*context);
  const auto operands = operands_of(context->index(), choice);
  const auto formula = instantiate_text(pool, text, operands, attributes_of(context->index()));
  if (!formula) {
    expect(!formula.error().message().empty(), "a refusal says why");
    return;
  }
  const std::string printed = print_formula(pool, *formula);
  const auto problem = check_formula(pool, *formula);
  expect(!problem, "an instantiated formula is well formed", problem.value_or("") + "\n" + printed);
  std::vector<std::string> results;
  for (const TensorId result : formula->results()) results.push_back(formula->tensor(result).name);
  const auto again = instantiate_text(pool, printed, operands, {}, results);
  expect(again.ok(), "what is printed reads back", again.ok() ? "" : printed + "\n" + again.error().message());
  const std::string twice = print_formula(pool, *again);
  expect(twice == printed, "print(read(print(f))) == print(f)", printed + "\n----\n" + twice);
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  mlgc::fuzz::check_formula_text(std::string(reinterpret_cast<const char*>(data) + 1, size - 1), data[0]);
  return 0;
}
