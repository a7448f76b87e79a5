// See op_work.h.
#include "inspect/op_work.h"

#include <algorithm>
#include <vector>

#include "analysis/backward_slice.h"
#include "formula/formula_work.h"
#include "fusion/fusion_kernel.h"
#include "ops/instantiate_op.h"

namespace mlgc {

OpWork work_of(OpRef op, const Facts& facts) {
  Context& context = op.module().context();
  IndexPool& index = context.index();
  OpWork out{index.constant(0), index.constant(0), false};
  if (op.has_trait(Traits::Terminator)) return out;
  std::vector<ValueId> seen;
  for (const Value value : values_read(op)) {
    if (std::find(seen.begin(), seen.end(), value.id()) != seen.end()) continue;
    seen.push_back(value.id());
    out.bytes = index.add(out.bytes, context.storage_bytes(value.type()));
  }
  if (seen.empty()) return out;
  for (const Value result : op.results()) out.bytes = index.add(out.bytes, context.storage_bytes(result.type()));
  const auto formula = op.region_count() == 0 ? op_formula(op, facts) : nullptr;
  if (!formula) return out;
  out.operations = formula_operations(formulas(context), *formula);
  out.is_counted = true;
  return out;
}

}  // namespace mlgc
