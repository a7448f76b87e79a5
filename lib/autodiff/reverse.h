// Reverse mode over the ops of a region (reverse accumulation; Griewank and Walther, Evaluating Derivatives, chapter
// 3).
//
// From the last op to the first, the adjoints of an op's results become contributions to the adjoints of its operands:
// an op with a formula by the gradient of that formula (formula/differentiate.h), a call by a call of the gradient that
// the callee states (ops/stated_gradient.h), `if` by an `if` and `scan` by a scan in the other direction, each of which
// recomputes what it needs of its region.
//
// Guarantees
//   - An adjoint that is zero has no value: nothing is computed for it, and where a region has to yield one it is a
//     constant. Only float values have adjoints.
//   - Ops that were made carry the location of the op that they are the gradient of.
//   - Linear in the ops, times the depth of nested regions.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "autodiff/fresh_sizes.h"
#include "autodiff/gradient_rules.h"
#include "diag/diagnostic.h"
#include "ir/builder.h"

namespace mlgc {

// Why nothing passes an op that has no rule, in either mode.
[[nodiscard]] Diagnostic no_derivative(OpRef op);

class Reverse {
 public:
  // Makes ops at the builder's insertion point. All four must outlive this.
  Reverse(Builder& builder, GradientRules& rules, FreshSizes& sizes, std::vector<Diagnostic>& errors)
      : builder_(&builder),
        rules_(&rules),
        sizes_(&sizes),
        errors_(&errors),
        varied_(std::make_shared<std::unordered_set<ValueId>>()) {}
  Reverse(Reverse&&) noexcept = default;
  Reverse(const Reverse&) = delete;
  Reverse& operator=(Reverse&&) = delete;
  Reverse& operator=(const Reverse&) = delete;
  ~Reverse() {
    for (const ValueId id : own_) varied_->erase(id);
  }

  // The value is one of those that gradients are wanted of, or depends on one.
  void vary(Value value) {
    if (varied_->insert(value.id()).second) own_.push_back(value.id());
  }
  // Varies every result of the ops, in program order, that depends on a varied value through what can be
  // differentiated.
  void spread(std::span<const OpRef> ops);
  [[nodiscard]] bool varied(Value value) const { return varied_->contains(value.id()); }

  // Adds to the adjoint of a value. `part` has the type of the value.
  void contribute(Value to, Value part);
  // Goes backwards through the ops. An op without a gradient is an error for each; the rest is done all the same.
  void run(std::span<const OpRef> ops);
  // An invalid value when it is zero.
  [[nodiscard]] Value adjoint(Value of) const;
  // The same, with a constant where it is zero.
  [[nodiscard]] Value adjoint_or_zero(Value of);

 private:
  // Of a region inside of what `around` goes through, which knows what varies there.
  Reverse(Builder& builder, const Reverse& around)
      : builder_(&builder),
        rules_(around.rules_),
        sizes_(around.sizes_),
        errors_(around.errors_),
        varied_(around.varied_) {}
  void reverse_formula(OpRef op);
  void reverse_call(OpRef op);
  void reverse_if(OpRef op);
  void reverse_scan(OpRef op);
  void spread_scan(OpRef op);
  void spread_op(OpRef op);
  // Varied values from outside of the op that its regions read, in the order of their first use.
  [[nodiscard]] std::vector<Value> captured(OpRef op) const;

  Builder* builder_;
  GradientRules* rules_;
  FreshSizes* sizes_;
  std::vector<Diagnostic>* errors_;
  // What varies here and around, one set for all regions inside of each other, and what of it this one added.
  std::shared_ptr<std::unordered_set<ValueId>> varied_;
  std::vector<ValueId> own_;
  std::unordered_map<ValueId, Value> adjoints_;
};

}  // namespace mlgc
