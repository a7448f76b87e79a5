// The formula of a `fusion`, from what stands in its region alone: what the kernel that is made of it computes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fusion/kernel_formula.h"
#include "ir/module.h"

namespace mlgc {

// The formula of an op, when it can be in a kernel: it has one, no region, results, and all that it reads and makes are
// tensors. Null otherwise; the same object for equal ops under the same facts.
[[nodiscard]] std::shared_ptr<const Formula> op_formula(OpRef op, const Facts& facts);

struct FusionKernel {
  KernelFormula formula;          // operands are those of the fusion, in order
  std::vector<TensorId> results;  // in the order of the fusion's results
};

// Nothing when an op inside cannot be in a kernel, or a subscript of a chain of moves is no index expression any more.
// Reads of one operand by several ops join axes where that leaves more rows in common.
[[nodiscard]] std::optional<FusionKernel> fusion_kernel(OpRef fusion, const Facts& facts);

}  // namespace mlgc
