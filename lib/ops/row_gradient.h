// What an op of a row sends back: the vector-Jacobian product of its formula, derived (differentiate.h), or the body
// that the row states instead, where one is better in numbers or work: a softmax goes back from its result alone.
//
// A stated body is text in the language of formulas over the row's operands, its results under the names that they have
// in the formula, and `g_<result>` for each cotangent; it writes `d_<operand>` for each operand that is asked for. Of a
// result without a cotangent it may read the value all the same: the gradient of a norm reads the mean that the norm
// returns. Tests compare it with the derived one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/instantiate_op.h"
#include "ops/op_types.h"

namespace mlgc {

// What a row's hook `gradient` sees and fills in; it answers whether it stated a body.
class GradientContext {
 public:
  GradientContext(const OpTypes& types, const Attrs& attrs, std::vector<Dtype> dtypes,
                  std::span<const std::size_t> results, std::span<const std::size_t> wanted)
      : types_(&types), attrs_(&attrs), dtypes_(std::move(dtypes)), results_(results), wanted_(wanted) {}
  [[nodiscard]] const OpTypes& types() const { return *types_; }
  [[nodiscard]] const Attrs& attrs() const { return *attrs_; }
  // Only the first result has a cotangent.
  [[nodiscard]] bool only_first() const { return results_.size() == 1 && results_[0] == 0; }
  // Whether the gradient of an operand is asked for.
  [[nodiscard]] bool wants(std::size_t operand) const {
    return std::find(wanted_.begin(), wanted_.end(), operand) != wanted_.end();
  }
  [[nodiscard]] Dtype result_dtype(std::size_t result) const { return dtypes_[result]; }
  void state(std::string_view body) { body_ = body; }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  const OpTypes* types_;
  const Attrs* attrs_;
  std::vector<Dtype> dtypes_;  // of the results
  std::span<const std::size_t> results_, wanted_;
  std::string body_;
};

enum class GradientBody : std::uint8_t { Stated, Derived };

struct RowGradient {
  // Operands: those of the row, absent ones included; the values of the results that have cotangents; these; the values
  // of `others`. Results: `d_<operand>` for each wanted one, in order.
  Formula formula;
  std::size_t operands = 0;         // of the row
  std::vector<std::size_t> others;  // results without a cotangent that a stated body may read
};

// For operands `wanted`, which are differentiable, and cotangents of `results`; the other results send nothing back.
// With `Derived` a stated body is not used. Precondition: the op is valid, and its row has a formula.
[[nodiscard]] RowGradient row_gradient(Context& context, Opcode opcode, std::span<const Type> operands, AttrDict attrs,
                                       const Facts& facts, std::span<const std::size_t> results,
                                       std::span<const std::size_t> wanted, GradientBody body = GradientBody::Stated);

}  // namespace mlgc
