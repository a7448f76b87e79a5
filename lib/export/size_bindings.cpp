// See size_bindings.h.
#include "export/size_bindings.h"

#include <vector>

namespace mlgc {

void SizeBindings::bind(Value value, AtomId size, IndexExpr wanted) {
  const std::span<const IndexExpr> dims = value.dims();
  for (std::size_t axis = 0; axis < dims.size() && !bound_.contains(size); ++axis)
    if (const auto affine = affine_dim(context_->index(), dims[axis], wanted)) {
      bound_.insert(size);
      bind_size_(size, value, axis, *affine);
    }
}

void SizeBindings::bind(Value value) {
  if (!context_->types().is_shaped(value.type())) return;
  IndexPool& pool = context_->index();
  std::vector<AtomId> found;
  for (const IndexExpr dim : value.dims())
    pool.for_each_atom(dim, [&](AtomId id) {
      if (pool.atom(id).kind == AtomKind::Symbol && is_unsolved(id)) found.push_back(id);
    });
  for (const AtomId size : found) bind(value, size, pool.from_atom(size));
}

void SizeBindings::bind_arguments(FuncRef func) {
  const SolvedProducts products = solved_products(func.op());
  for (const SolvedProduct& solved : products.all)
    for (const AtomId one : solved.ones) ones_.insert(one);
  for (const Value argument : func.arguments()) bind(argument);
  for (const SolvedProduct& solved : products.all)
    for (const Value argument : func.arguments()) bind(argument, solved.size, solved.product);
}

IndexExpr SizeBindings::without_ones(IndexExpr e) const {
  if (ones_.empty()) return e;
  IndexPool& pool = context_->index();
  return pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    return ones_.contains(id) ? std::optional(pool.constant(1)) : std::nullopt;
  });
}

}  // namespace mlgc
