// Which axis of which value tells a size, for notations in which a text computes its sizes from shapes.
#pragma once

#include <functional>
#include <set>

#include "ir/function.h"
#include "ir/module.h"
#include "ops/told_products.h"

namespace mlgc {

class SizeBindings {
 public:
  // size = (extent of `axis` - telling.offset) / telling.factor.
  using Told = std::function<void(AtomId size, Value value, std::size_t axis, TellingDim telling)>;

  SizeBindings(Context& context, Told told) : context_(&context), told_(std::move(told)) {}

  void bind_arguments(FuncRef func);
  // Sizes that no value told before.
  void bind(Value value);
  // Whether no value has told it, and it is not 1.
  [[nodiscard]] bool is_untold(AtomId size) const { return !bound_.contains(size) && !ones_.contains(size); }
  // With 1 for sizes that nothing depends on how they are split.
  [[nodiscard]] IndexExpr without_ones(IndexExpr e) const;
  // What was inferred inside of a region is not known after it.
  [[nodiscard]] std::set<AtomId> bound() const { return bound_; }
  void restore(std::set<AtomId> bound) { bound_ = std::move(bound); }

 private:
  void bind(Value value, AtomId size, IndexExpr wanted);

  Context* context_;
  Told told_;
  std::set<AtomId> bound_, ones_;
};

}  // namespace mlgc
