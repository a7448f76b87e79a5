// What an op of a row sends back: the vector-Jacobian product of its formula, derived (differentiate.h), or the body
// that the row states instead, where one is better in numbers or work: a softmax goes back from its result alone.
//
// A stated body is text in the language of formulas over the row's operands, its results under the names that they have
// in the formula, and `g_<result>` for each cotangent; it writes `d_<operand>`. Tests hold it against the derived one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ops/instantiate_op.h"
#include "ops/op_types.h"

namespace mlgc {

// What a row's hook `gradient` sees and fills in; it answers whether it stated a body.
class GradientContext {
 public:
  GradientContext(const OpTypes& types, const Attrs& attrs) : types_(&types), attrs_(&attrs) {}
  [[nodiscard]] const OpTypes& types() const { return *types_; }
  [[nodiscard]] const Attrs& attrs() const { return *attrs_; }
  void state(std::string_view body) { body_ = body; }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  const OpTypes* types_;
  const Attrs* attrs_;
  std::string body_;
};

enum class GradientBody : std::uint8_t { Stated, Derived };

// For operands `wanted`, which are differentiable, and cotangents of `results`; the other results send nothing back.
// Operands of the formula: those of the row, absent ones included; the values of `results`; their cotangents. Results:
// `d_<operand>` for each wanted one, in order. With `Derived` a stated body is not used. Precondition: the op is valid,
// and its row has a formula.
[[nodiscard]] Formula row_gradient(Context& context, Opcode opcode, std::span<const Type> operands, AttrDict attrs,
                                   const Facts& facts, std::span<const std::size_t> results,
                                   std::span<const std::size_t> wanted, GradientBody body = GradientBody::Stated);

}  // namespace mlgc
