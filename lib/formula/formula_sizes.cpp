// Collects the symbols of a formula.
#include "formula/formula_sizes.h"

#include <algorithm>

namespace mlgc {

std::vector<AtomId> sizes_of(FormulaPool& pool, const Formula& formula) {
  const IndexPool& index = pool.index();
  std::vector<AtomId> sizes;
  const auto of_index = [&](IndexExpr e) {
    index.for_each_atom(e, [&](AtomId id) {
      if (index.atom(id).kind == AtomKind::Symbol) sizes.push_back(id);
    });
  };
  const auto of_labels = [&](const std::vector<AtomId>& labels) {
    for (const AtomId label : labels) of_index(index.atom(label).a);
  };
  const auto of_expression = [&](ExprId e) {
    switch (pool.node(e).kind) {
      case NodeKind::Index: return of_index(pool.index_of(e));
      case NodeKind::Read:
        for (const IndexExpr subscript : pool.read_of(e).subscripts) of_index(subscript);
        return;
      case NodeKind::Reduce: return of_labels(pool.reduce_of(e).labels);
      default: return;
    }
  };
  for (const FormulaTensor& tensor : formula.tensors)
    for (const IndexExpr dim : tensor.shape) of_index(dim);
  for (const Statement& statement : formula.statements) {
    of_labels(statement.labels);
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

}  // namespace mlgc
