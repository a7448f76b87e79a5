// Formulas and kernels as loop functions.
#include "loops/lower.h"

#include <algorithm>
#include <vector>

#include "loops/drop_unread.h"
#include "loops/kernel_lowering.h"
#include "loops/statement_lowering.h"
#include "ops/instantiate_op.h"

namespace mlgc {

OpRef lower_formula(Module& module, const Formula& formula, std::string_view name, const Facts& facts) {
  std::vector<TensorId> arguments;
  for (const TensorRole role : {TensorRole::Operand, TensorRole::Result})
    for (std::size_t i = 0; i < formula.tensors.size(); ++i)
      if (formula.tensors[i].role == role) arguments.emplace_back(i);
  return loops::StatementLowering(module, formula, facts).run(name, arguments);
}

OpRef lower_kernel(Module& module, const FusionKernel& kernel, std::string_view name, const Facts& facts) {
  const Formula& formula = kernel.formula.formula();
  std::vector<TensorId> arguments;
  for (std::size_t i = 0; i < formula.tensors.size(); ++i)
    if (formula.tensors[i].role == TensorRole::Operand) arguments.emplace_back(i);
  arguments.insert(arguments.end(), kernel.results.begin(), kernel.results.end());
  const bool gathers = std::all_of(formula.statements.begin(), formula.statements.end(), [](const Statement& st) {
    return st.pull && !st.guard.valid() && !st.base.valid();
  });
  // The scatter form is done when all of it has run: each statement by itself.
  const OpRef func = gathers ? loops::KernelLowering(module, kernel.formula, facts).run(name, arguments)
                             : loops::StatementLowering(module, formula, facts).run(name, arguments);
  loops::drop_unread(func);
  return func;
}

}  // namespace mlgc
