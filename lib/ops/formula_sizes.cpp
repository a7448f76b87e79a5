// Collects symbols.
#include "ops/formula_sizes.h"

#include <algorithm>

#include "ir/mentioned_sizes.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "support/result.h"

namespace mlgc {

std::vector<AtomId> sizes_of(FormulaPool& pool, const Formula& formula) {
  const IndexPool& index = pool.index();
  std::vector<AtomId> sizes;
  const auto of_index = [&](IndexExpr e) {
    index.for_each_atom(e, [&](AtomId id) {
      if (index.atom(id).kind == AtomKind::Symbol) sizes.push_back(id);
    });
  };
  const auto of_letters = [&](const std::vector<AtomId>& letters) {
    for (const AtomId letter : letters) of_index(index.atom(letter).a);
  };
  const auto of_expression = [&](ExprId e) {
    switch (pool.node(e).kind) {
      case NodeKind::Index: return of_index(pool.index_of(e));
      case NodeKind::Read:
        for (const IndexExpr subscript : pool.read_of(e).subscripts) of_index(subscript);
        return;
      case NodeKind::Reduce: return of_letters(pool.reduce_of(e).letters);
      default: return;
    }
  };
  for (const FormulaTensor& tensor : formula.tensors)
    for (const IndexExpr dim : tensor.shape) of_index(dim);
  for (const Statement& statement : formula.statements) {
    of_letters(statement.letters);
    for (const IndexExpr subscript : statement.subscripts) {
      of_index(subscript);
      pool.visit(subscript, of_expression);
    }
    for (const ExprId e : {statement.body, statement.guard})
      if (e.valid()) pool.visit(e, of_expression);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

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
