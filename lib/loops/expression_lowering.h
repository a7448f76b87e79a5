// Private to lib/loops: expressions of a formula as values, in the loops and branches in which they are evaluated.
//
// Expressions, conditions, nests and reductions need one another: an index can hold an expression, a reduction is a
// nest, a lazy operand is a branch. So one class makes them. What is known of indices is asked of guard_analysis.h,
// what reductions carry of accumulators.h, and where tensors are of tensor_buffers.h.
//
// Guarantee: each expression becomes one value per region in which it is needed and visible.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "loopir/subscripts.h"
#include "loops/accumulators.h"
#include "loops/guard_analysis.h"
#include "loops/scalar_builder.h"
#include "loops/tensor_buffers.h"

namespace mlgc::loops {

using Values = std::vector<Value>;
// Makes the ops of a region and returns what it yields.
using Body = std::function<Values(const Values& carried)>;

class ExpressionLowering {
 public:
  // Makes ops at the builder's insertion point. All four must outlive this.
  ExpressionLowering(Builder& builder, const Formula& formula, const Facts& facts, const TensorBuffers& tensors);
  ExpressionLowering(const ExpressionLowering&) = delete;
  ExpressionLowering& operator=(const ExpressionLowering&) = delete;

  Value emit(ExprId e);
  // In the innermost open region the expression is the value, whatever was emitted for it.
  void define(ExprId e, Value value) { values_.back()[e] = value; }

  Value load(TensorId tensor, std::span<const IndexExpr> subscripts, bool checked);
  void store(Value value, TensorId tensor, std::span<const IndexExpr> subscripts, bool checked);
  // Whether the subscripts are known to be inside the tensor here.
  [[nodiscard]] bool is_inside(TensorId tensor, std::span<const IndexExpr> subscripts) const {
    return guards_.open_bounds(tensor, subscripts).empty();
  }

  // A loop over all values of the index label.
  Values loop(AtomId label, bool parallel, const Values& initial, const Body& body);
  // A nest over all values of the index labels for which the guard holds, with carried values through `body`, which is
  // called once; an invalid guard holds for all.
  Values nest(std::span<const AtomId> labels, ExprId guard, bool parallel, const Values& initial, const Body& body);
  // Calls `fill`; what is emitted in it is not visible afterwards.
  void in_scope(const std::function<void()>& fill);
  // Calls `fill`, in which those of the index labels that have no loop here have the value of `like`, which has one.
  void with_labels(std::span<const AtomId> labels, AtomId like, const std::function<void()>& fill);

  // A reduction in a nest that the caller makes: what it carries, what it carries after one more element, at whose
  // index labels the insertion point is, and its value.
  Accumulator start_reduce(ExprId e);
  Values step_reduce(const Accumulator& of, const Values& carried);
  Value end_reduce(const Accumulator& of, const Values& reduced) { return accumulators_.end(of, reduced); }

 private:
  // --- expressions (expression_lowering.cpp)
  Value emit_new(ExprId e);
  Value emit_read(ExprId e);
  [[nodiscard]] std::optional<ExprId> inner_selection(std::span<const ExprId> args) const;
  Value emit_select(ExprId e);
  Value emit_reduce(ExprId e);
  // The expression over values: index labels and data-dependent parts become operands, which are appended.
  IndexExpr over_values(IndexExpr e, SubscriptBuilder& builder);
  IndexExpr over_parts(IndexExpr e, SubscriptBuilder& builder);
  // The expressions as the brackets of an op; the values in them are appended to its operands.
  Attribute brackets(std::span<const IndexExpr> expressions, Values& operands);
  Value applied(IndexExpr e);  // as i64
  Value guard(std::span<const IndexExpr> conditions);
  void check(std::span<const IndexExpr> conditions, std::string_view message);

  // --- conditions, loops and branches (lower_nest.cpp)
  Value emit_condition(std::span<const Conjunct> conjuncts);
  Values loop(AtomId label, IndexExpr from, IndexExpr to, bool parallel, const Values& initial, const Body& body);
  Values branch(Value condition, const Values& otherwise, const std::function<Values()>& then);
  Values branch(Value condition, std::span<const Type> types, const std::function<Values()>& then,
                const std::function<Values()>& otherwise);
  Values nest_level(const Nest& plan, std::size_t level, bool parallel, const Values& carried, const Body& body);
  Values guarded(std::span<const Conjunct> guards, const Values& carried, const std::function<Values()>& then);

  Builder& builder_;
  Context& context_;
  IndexPool& index_;
  FormulaPool& pool_;
  const Formula& formula_;
  const TensorBuffers& tensors_;
  ScalarBuilder ops_;
  GuardAnalysis guards_;
  Accumulators accumulators_;
  std::unordered_map<AtomId, Value> labels_;
  std::vector<std::unordered_map<ExprId, Value>> values_;  // one map per open region
};

}  // namespace mlgc::loops
