// See row_gradient.h.
#include "ops/row_gradient.h"

#include <algorithm>
#include <vector>

#include "ops/differentiate.h"

namespace mlgc {

namespace {

// The text of the row's hook; empty when it has none, or states none for this op.
std::string stated_body(const OpDef& def, IndexPool& index, const Facts& facts,
                        const std::vector<FormulaOperand>& operands, const AttrValues& values) {
  if (def.hooks.gradient == nullptr) return {};
  const OpTypes types(index, facts, operands);
  const Attrs attrs(index, values);
  GradientContext context(types, attrs);
  return def.hooks.gradient(context) ? context.body() : std::string();
}

}  // namespace

Formula row_gradient(Context& context, Opcode opcode, std::span<const Type> operands, AttrDict attrs,
                     const Facts& facts, std::span<const std::size_t> results, std::span<const std::size_t> wanted,
                     GradientBody body) {
  FormulaPool& pool = formulas(context);
  const OpDef& def = context.def(opcode);
  Result<Formula, Diagnostic> formula = instantiate_op(context, opcode, operands, attrs, facts);
  MLGC_ASSERT(formula.ok(), "an op of a verified module has a formula");
  const std::vector<TensorId> all = formula->results();
  if (body == GradientBody::Stated && results.size() == all.size()) {
    const auto values = check_attributes(context, def, attrs);
    MLGC_ASSERT(values.ok(), "attributes of a verified op");
    std::vector<FormulaOperand> given;
    for (std::size_t i = 0; i < formula->operand_count(); ++i) {
      const FormulaTensor& t = formula->tensors[i];
      given.push_back({t.name, i < operands.size() && operands[i].valid(), t.dtype, t.shape});
    }
    const std::string text = stated_body(def, context.index(), facts, given, *values);
    if (!text.empty()) {
      for (const std::string_view prefix : {"", "g_"})
        for (const TensorId result : all) {
          const FormulaTensor& t = formula->tensor(result);
          given.push_back({std::string(prefix) + t.name, true, t.dtype, t.shape});
        }
      std::vector<std::string> names;
      for (const std::size_t operand : wanted) names.push_back("d_" + formula->tensors[operand].name);
      Result<Formula, Diagnostic> stated = instantiate_text(pool, text, given, *values, names, facts);
      MLGC_ASSERT(stated.ok(), "the gradient that `" + std::string(def.name) +
                                   "` states: " + (stated.ok() ? std::string() : stated.error().message()));
      return std::move(*stated);
    }
  }
  // What has no cotangent is an intermediate value like any other.
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::find(results.begin(), results.end(), i) == results.end())
      formula->tensor(all[i]).role = TensorRole::Temporary;
  const std::vector<TensorId> targets(wanted.begin(), wanted.end());
  return gradient(pool, *formula, targets, {.results_at_hand = true});
}

}  // namespace mlgc
