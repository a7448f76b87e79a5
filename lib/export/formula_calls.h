// A formula as calls of ATen, for ops that no operator computes: letters become axes of tensors, reads gather, and
// reductions reduce axes.
//
// Values have an axis for each letter in scope, of extent 1 where they do not depend on it; what a guard excludes is
// computed too, with subscripts clamped, and then not selected.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "export/torch_builder.h"
#include "ops/formula.h"

namespace mlgc {

// `operands` are names of tensors, `results` names that the results get. `size` translates expressions over sizes.
// What has no operator, if anything; then some calls may be there already.
[[nodiscard]] std::optional<std::string> formula_calls(const TorchBuilder& builder, const Formula& formula,
                                                       std::span<const std::string> operands,
                                                       std::span<const std::string> results,
                                                       const std::function<IndexExpr(IndexExpr)>& size);

}  // namespace mlgc
