// The gradient of an op's gradient, as `mlgc grad` derives both: reverse mode over reverse mode, over ops.
//
// The op stands in a function of its operands. Its gradient, with cotangents as arguments, is a function like any
// other, so that what the first derivation emitted (rows, `compute`, bodies that rows state) is what the second one
// meets.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

// An op, valid by its row; operands that are absent at its end are left out.
struct OpUse {
  Opcode opcode;
  AttrDict attrs;
  std::vector<Type> types;  // of the operands
  std::vector<Tensor> operands;
};

// With <cotangents, results> = s, the gradient of <directions, ds/doperands> by every operand and every cotangent that
// is there; one entry for each operand, then one for each result of the op. Only operands that have a direction count,
// and only results that have a cotangent send anything back. In f64.
[[nodiscard]] Result<std::vector<std::optional<Tensor>>, Diagnostic> second_order(
    const std::shared_ptr<Context>& context, const OpUse& op, std::span<const std::optional<Tensor>> directions,
    std::span<const std::optional<Tensor>> cotangents);

}  // namespace mlgc
