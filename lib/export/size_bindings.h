// From which axis of which value a size is solved, for notations in which a text computes its sizes from shapes.
#pragma once

#include <functional>
#include <set>

#include "ir/function.h"
#include "ir/module.h"
#include "ops/solved_products.h"

namespace mlgc {

class SizeBindings {
 public:
  // size = (extent of `axis` - affine.offset) / affine.factor.
  using BindSize = std::function<void(AtomId size, Value value, std::size_t axis, AffineDim affine)>;

  SizeBindings(Context& context, BindSize bind_size) : context_(&context), bind_size_(std::move(bind_size)) {}

  void bind_arguments(FuncRef func);
  // Sizes that were not solved before.
  void bind(Value value);
  // Whether it was not solved, and is not 1.
  [[nodiscard]] bool is_unsolved(AtomId size) const { return !bound_.contains(size) && !ones_.contains(size); }
  // With 1 for sizes that nothing depends on how they are split.
  [[nodiscard]] IndexExpr without_ones(IndexExpr e) const;
  // What was inferred inside of a region is not known after it.
  [[nodiscard]] std::set<AtomId> bound() const { return bound_; }
  void restore(std::set<AtomId> bound) { bound_ = std::move(bound); }

 private:
  void bind(Value value, AtomId size, IndexExpr wanted);

  Context* context_;
  BindSize bind_size_;
  std::set<AtomId> bound_, ones_;
};

}  // namespace mlgc
