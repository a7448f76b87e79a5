// See fusion_kernel.h.
#include "fusion/fusion_kernel.h"

#include <algorithm>

#include "fusion/known_values.h"
#include "ops/instantiate_op.h"
#include "ops/known_formula.h"

namespace mlgc {

std::shared_ptr<const Formula> op_formula(OpRef op, const Facts& facts) {
  if (!has_formula(op.def()) || op.region_count() != 0 || op.result_count() == 0) return nullptr;
  Context& context = op.module().context();
  std::vector<Type> types;
  for (const Value v : op.operands()) types.push_back(v.type());
  for (const Value v : op.results()) types.push_back(v.type());
  if (!std::all_of(types.begin(), types.end(), [&](Type t) { return context.types().is_tensor(t); })) return nullptr;
  types.resize(op.operand_count());
  const auto formula = known_formula(context, op.opcode(), types, op.attrs(), facts);
  return formula ? *formula : nullptr;
}

namespace {

bool contract(FormulaPool& pool, const std::vector<OpRef>& ops, const Facts& facts) {
  return std::all_of(ops.begin(), ops.end(), [&](OpRef op) {
    const std::shared_ptr<const Formula> formula = op_formula(op, facts);
    return formula != nullptr && std::any_of(formula->statements.begin(), formula->statements.end(),
                                             [&](const Statement& st) { return is_contraction(pool, st); });
  });
}

std::optional<FusionKernel> build(OpRef fusion, const Facts& facts, bool align) {
  Context& context = fusion.module().context();
  FormulaPool& pool = formulas(context);
  const RegionRef body = fusion.region();
  FusionKernel out{KernelFormula(context), {}};
  for (const Value argument : body.arguments()) (void)out.formula.add_operand(argument);
  for (const OpRef op : body.ops()) {
    if (op.has_trait(Traits::Terminator)) {
      const std::vector<Value> yielded(op.operands().begin(), op.operands().end());
      out.results = out.formula.set_results(yielded);
      return out;
    }
    if (const auto known = known_value(op, pool)) {
      out.formula.add_known(op.result(), *known);
      continue;
    }
    const std::shared_ptr<const Formula> formula = op_formula(op, facts);
    if (!formula) return std::nullopt;
    const std::vector<OpRef> users = op.result().users();
    const bool comes_out =
        std::any_of(users.begin(), users.end(), [](OpRef user) { return user.has_trait(Traits::Terminator); });
    const bool moves = is_movement(pool, *formula) || (unpacks(pool, *formula) && contract(pool, users, facts));
    out.formula.add(op, *formula, moves && !comes_out ? KernelFormula::As::Moved : KernelFormula::As::Computed, align);
  }
  return std::nullopt;
}

}  // namespace

std::optional<FusionKernel> fusion_kernel(OpRef fusion, const Facts& facts) {
  std::optional<FusionKernel> kernel = build(fusion, facts, false);
  if (!kernel || kernel->formula.shape().overflows) return std::nullopt;
  std::optional<FusionKernel> aligned = build(fusion, facts, true);
  return aligned->formula.shape().rows.size() > kernel->formula.shape().rows.size() ? aligned : kernel;
}

}  // namespace mlgc
