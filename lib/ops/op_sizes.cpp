// Collects the symbols of ops: from types and attributes, and from the formula where a size may stand in no type.
#include "ops/op_sizes.h"

#include <vector>

#include "formula/formula_sizes.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "support/result.h"

namespace mlgc {

void for_each_size(OpRef op, const std::function<void(AtomId)>& visit) {
  Context& context = op.module().context();
  const IndexPool& index = context.index();
  const auto visit_expression = [&](IndexExpr e) {
    index.for_each_atom(e, [&](AtomId atom) {
      if (index.atom(atom).kind == AtomKind::Symbol) visit(atom);
    });
  };
  if (visit_mentioned_sizes(op, visit_expression)) {
    std::vector<Type> types;
    for (const Value operand : op.operands()) types.push_back(operand.type());
    const auto formula = instantiate_op(context, op.opcode(), types, op.attrs());
    MLGC_ASSERT(formula.ok(), "the formula of a verified op");
    for (const AtomId size : sizes_of(formulas(context), *formula)) visit(size);
  }
  for (const RegionRef region : op.regions())
    for (const Value argument : region.arguments())
      if (context.types().is_shaped(argument.type()))
        for (const IndexExpr dim : argument.dims()) visit_expression(dim);
}

std::set<std::string> size_names(FuncRef function) {
  std::set<std::string> names;
  const IndexPool& index = function.op().module().context().index();
  walk(function.op(),
       [&](OpRef op) { for_each_size(op, [&](AtomId size) { names.emplace(index.symbol_name(size)); }); });
  return names;
}

}  // namespace mlgc
