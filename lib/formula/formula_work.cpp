// See formula_work.h.
#include "formula/formula_work.h"

#include <algorithm>
#include <unordered_set>

namespace mlgc {

namespace {

// Adds what `e` does in each of `tuples` index tuples to `sum`.
void count_operations(FormulaPool& pool, ExprId e, IndexExpr tuples, std::unordered_set<ExprId>& seen, IndexExpr& sum) {
  if (!seen.insert(e).second) return;
  IndexPool& index = pool.index();
  const ExprNode node = pool.node(e);
  switch (node.kind) {
    case NodeKind::Literal:
    case NodeKind::Index: return;
    case NodeKind::Read: {
      const ReadParts parts = pool.read_of(e);
      if (parts.fill.valid()) count_operations(pool, parts.fill, tuples, seen, sum);
      return;
    }
    case NodeKind::Reduce: {
      const ReduceParts parts = pool.reduce_of(e);
      for (const AtomId label : parts.labels) tuples = index.mul(tuples, index.atom(label).a);
      sum = index.add(sum, tuples);
      std::unordered_set<ExprId> inside;
      count_operations(pool, parts.body, tuples, inside, sum);
      return;
    }
    default: break;
  }
  const std::vector<ExprId> args = pool.arguments(e);
  if (node.kind == NodeKind::Call && is_float(pool.type(args[0]))) sum = index.add(sum, tuples);
  for (const ExprId a : args) count_operations(pool, a, tuples, seen, sum);
}

}  // namespace

std::int64_t expression_cost(const FormulaPool& pool, ExprId e) {
  std::unordered_set<ExprId> seen;
  std::int64_t sum = 0;
  pool.visit(e, [&](ExprId below) {
    if (!seen.insert(below).second) return;
    const NodeKind kind = pool.node(below).kind;
    if (kind == NodeKind::Call) sum += scalar_fn_info(pool.fn(below)).cost;
    if (kind == NodeKind::Select || kind == NodeKind::Cast || kind == NodeKind::Reduce) ++sum;
  });
  return sum;
}

IndexExpr formula_operations(FormulaPool& pool, const Formula& formula) {
  IndexPool& index = pool.index();
  IndexExpr sum = index.constant(0);
  for (const Statement& statement : formula.statements) {
    IndexExpr tuples = index.constant(1);
    for (const AtomId label : statement.labels) tuples = index.mul(tuples, index.atom(label).a);
    std::unordered_set<ExprId> seen;
    count_operations(pool, statement.body, tuples, seen, sum);
    if (statement.write != WriteOp::Set) sum = index.add(sum, tuples);
  }
  return sum;
}

std::int64_t formula_work(FormulaPool& pool, const Formula& formula, std::int64_t limit,
                          const std::function<std::optional<std::int64_t>(IndexExpr)>& extent_of) {
  const auto extents = [&](std::span<const AtomId> labels, std::int64_t start) {
    std::int64_t product = start;
    for (const AtomId label : labels) {
      const auto known = extent_of(pool.index().atom(label).a);
      if (!known) return limit + 1;
      if (*known <= 0) return std::int64_t{0};
      if (product > limit / *known) return limit + 1;
      product *= *known;
    }
    return product;
  };
  std::int64_t sum = 0;
  for (const Statement& statement : formula.statements) {
    const std::int64_t outer = extents(statement.labels, 1);
    std::int64_t most = outer;
    pool.visit(statement.body, [&](ExprId e) {
      if (pool.node(e).kind == NodeKind::Reduce) most = std::max(most, extents(pool.reduce_of(e).labels, outer));
    });
    sum = std::min(limit + 1, sum + most);
  }
  return sum;
}

}  // namespace mlgc
