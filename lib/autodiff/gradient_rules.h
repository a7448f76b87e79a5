// What ops send back, from their rows alone: which operands a gradient goes to, and the formula of it. Ops of one row,
// with operands of the same types and the same attributes, share the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "formula/formula.h"
#include "ir/module.h"
#include "ops/formula_steps.h"
#include "ops/row_gradient.h"

namespace mlgc {

class GradientRules {
 public:
  // `facts` are those of the function whose ops are asked about.
  GradientRules(Context& context, Facts facts) : context_(&context), facts_(std::move(facts)) {}

  [[nodiscard]] const Facts& facts() const { return facts_; }

  // Numbers of the float operands that some float result depends on through what can be differentiated. Precondition of
  // both: the op's row has a formula.
  [[nodiscard]] const std::vector<std::size_t>& differentiable(OpRef op);

  // The vector-Jacobian product for operands `wanted`, of which differentiable() holds, and cotangents of `results`;
  // the other results send nothing back.
  [[nodiscard]] const RowGradient& backward(OpRef op, std::span<const std::size_t> results,
                                            std::span<const std::size_t> wanted);
  // The same as ops.
  [[nodiscard]] const FormulaSteps& backward_steps(OpRef op, std::span<const std::size_t> results,
                                                   std::span<const std::size_t> wanted);

  // The Jacobian-vector product for the tangents of operands `wanted`, of which differentiable() holds. Operands: those
  // of the row, absent ones included, then all results, then the tangents.
  struct Tangent {
    FormulaSteps steps;
    std::size_t operands = 0;          // of the row
    std::vector<std::size_t> results;  // those that have a tangent
  };
  [[nodiscard]] const Tangent& tangent(OpRef op, std::span<const std::size_t> wanted);

  // Sees, and may change, every formula that backward() gives from now on, before it is remembered: those who have to
  // find wrong gradients are tested with some. The steps are not changed.
  using Alter = std::function<void(OpRef, std::span<const std::size_t> wanted, Formula&)>;
  void alter(Alter change) { alter_ = std::move(change); }

 private:
  using OpKey = std::tuple<std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
  using BackwardKey = std::tuple<OpKey, std::vector<std::size_t>, std::vector<std::size_t>>;
  [[nodiscard]] Formula formula_of(OpRef op);
  struct Backward {
    RowGradient gradient;
    FormulaSteps steps;
  };
  [[nodiscard]] static OpKey key_of(OpRef op);
  [[nodiscard]] const Backward& derive(OpRef op, std::span<const std::size_t> results,
                                       std::span<const std::size_t> wanted);

  Context* context_;
  Facts facts_;
  Alter alter_;
  std::map<OpKey, std::vector<std::size_t>> differentiable_;
  std::map<BackwardKey, Backward> backward_;
  std::map<std::pair<OpKey, std::vector<std::size_t>>, Tangent> tangents_;
};

}  // namespace mlgc
