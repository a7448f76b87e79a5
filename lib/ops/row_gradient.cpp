// See row_gradient.h.
#include "ops/row_gradient.h"

#include <algorithm>
#include <vector>

#include "formula/differentiate.h"

namespace mlgc {

namespace {

// What is known of an op whose gradient is asked for.
struct Asked {
  const OpDef& def;
  const Formula& formula;
  std::span<const TensorId> all;  // its results
  std::span<const std::size_t> results, wanted;
};

// The text of the row's hook; empty when it has none, or states none for this op.
std::string stated_body(const Asked& asked, IndexPool& index, const Facts& facts,
                        const std::vector<FormulaOperand>& operands, const AttrValues& values) {
  if (asked.def.hooks.gradient == nullptr) return {};
  const OpTypes types(index, facts, operands);
  const Attrs attrs(index, values);
  std::vector<Dtype> dtypes;
  for (const TensorId result : asked.all) dtypes.push_back(asked.formula.tensor(result).dtype);
  GradientContext context(types, attrs, std::move(dtypes), asked.results, asked.wanted);
  return asked.def.hooks.gradient(context) ? context.body() : std::string();
}

}  // namespace

RowGradient row_gradient(Context& context, Opcode opcode, std::span<const Type> operands, AttrDict attrs,
                         const Facts& facts, std::span<const std::size_t> results, std::span<const std::size_t> wanted,
                         GradientBody body) {
  FormulaPool& pool = formulas(context);
  const OpDef& def = context.def(opcode);
  Result<Formula, Diagnostic> formula = instantiate_op(context, opcode, operands, attrs, facts);
  MLGC_ASSERT(formula.ok(), "an op of a verified module has a formula");
  const std::vector<TensorId> all = formula->results();
  RowGradient out;
  out.operands = formula->operand_count();
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::find(results.begin(), results.end(), i) == results.end()) others.push_back(i);
  if (body == GradientBody::Stated) {
    const auto values = check_attributes(context, def, attrs);
    MLGC_ASSERT(values.ok(), "attributes of a verified op");
    std::vector<FormulaOperand> given;
    for (std::size_t i = 0; i < formula->operand_count(); ++i) {
      const FormulaTensor& t = formula->tensors[i];
      given.push_back({t.name, i < operands.size() && operands[i].valid(), t.dtype, t.shape});
    }
    const std::string text = stated_body({def, *formula, all, results, wanted}, context.index(), facts, given, *values);
    if (!text.empty()) {
      const auto give = [&](std::string_view prefix, std::span<const std::size_t> which) {
        for (const std::size_t i : which) {
          const FormulaTensor& t = formula->tensor(all[i]);
          given.push_back({std::string(prefix) + t.name, true, t.dtype, t.shape});
        }
      };
      give("", results);
      give("g_", results);
      give("", others);
      out.others = std::move(others);
      std::vector<std::string> names;
      for (const std::size_t operand : wanted) names.push_back("d_" + formula->tensors[operand].name);
      Result<Formula, Diagnostic> stated = instantiate_text(pool, text, given, *values, names, facts);
      MLGC_ASSERT(stated.ok(), "the gradient that `" + std::string(def.name) +
                                   "` states: " + (stated.ok() ? std::string() : stated.error().message()));
      out.formula = std::move(*stated);
      return out;
    }
  }
  // What has no cotangent is an intermediate value like any other.
  for (const std::size_t i : others) formula->tensor(all[i]).role = TensorRole::Temporary;
  const std::vector<TensorId> targets(wanted.begin(), wanted.end());
  out.formula = gradient(pool, *formula, targets, {.results_at_hand = true});
  return out;
}

}  // namespace mlgc
