// See formula_steps.h.
#include "ops/formula_steps.h"

#include <algorithm>

#include "formula/formula_parts.h"
#include "ops/instantiate_op.h"
#include "ops/name_statement.h"

namespace mlgc {

FormulaSteps formula_steps(Context& context, const Formula& formula, StepNames names) {
  FormulaPool& pool = formulas(context);
  FormulaSteps out{{}, formula.results(), formula.tensors.size()};
  const StringId text = context.strings().intern("formula");
  std::size_t next = 0;
  for (FormulaPart& part : formula_parts(pool, formula)) {
    const FormulaTensor& result = formula.tensor(part.result);
    const Type type = context.types().tensor(result.dtype, result.shape);
    const Statement& statement = formula.statements[next++];
    if (names == StepNames::Rows) {
      if (auto named = name_statement(context, formula, statement)) {
        out.steps.push_back({named->opcode, named->attrs, std::move(named->operands), part.result, type});
        continue;
      }
    }
    const NamedAttribute attribute{text, context.attributes().string(part.text)};
    out.steps.push_back({context.opcode(GraphOp::Compute), context.attributes().dict(std::span(&attribute, 1)),
                         std::move(part.operands), part.result, type});
  }
  return out;
}

std::vector<Value> emit(Builder& builder, const FormulaSteps& steps, std::span<const Value> operands,
                        std::span<const Type> result_types) {
  std::vector<Value> values(steps.tensors);
  std::copy(operands.begin(), operands.end(), values.begin());
  for (const FormulaStep& step : steps.steps) {
    std::vector<Value> read;
    for (const TensorId tensor : step.operands) {
      read.push_back(values[tensor.index()]);
      MLGC_ASSERT(read.back().valid(), "a statement reads an operand without a value");
    }
    const auto place = std::find(steps.results.begin(), steps.results.end(), step.result);
    const Type type = place == steps.results.end() || result_types.empty()
                          ? step.type
                          : result_types[static_cast<std::size_t>(place - steps.results.begin())];
    if (step.opcode == Opcode::Invalid && read[0].type() == type) {
      values[step.result.index()] = read[0];
      continue;
    }
    const Opcode opcode = step.opcode == Opcode::Invalid ? builder.context().find_op("clone") : step.opcode;
    values[step.result.index()] = builder.create(opcode, read, step.attrs, std::span(&type, 1)).result();
  }
  std::vector<Value> out;
  out.reserve(steps.results.size());
  for (const TensorId result : steps.results) out.push_back(values[result.index()]);
  return out;
}

}  // namespace mlgc
