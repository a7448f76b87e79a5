// Calls of TorchScript that are other ones of an exported program: other operators, other arguments, or no call at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/python/function_builder.h"
#include "import/python/python_operators.h"
#include "import/python/tensor_memory.h"
#include "import/python/values.h"

namespace mlgc::python {

// `target` and `operands` as an exported program has them (`view.default` of `view_as.default`). False after a
// diagnostic.
[[nodiscard]] bool to_exported(const FunctionBuilder& builder, TensorMemory& tensors, const Node& node,
                               std::string& target, std::vector<PythonValue>& operands);

// Whether the call gives its first operand: a dropout in eval mode.
[[nodiscard]] bool gives_operand(std::string_view base, std::span<const PythonValue> operands);

// Arithmetic on tensors of rank 0 that stand for sizes, which a traced program computes with: they stay numbers. Sets
// the output of such a node.
[[nodiscard]] Ran run_on_sizes(Values& values, FunctionBuilder& builder, TensorMemory& tensors, const Node& node,
                               std::string_view base);

// `select` at a position that depends on data, counted from the end where it is negative. False after a diagnostic.
[[nodiscard]] bool run_select(Values& values, FunctionBuilder& builder, TensorMemory& tensors, const Node& node);

}  // namespace mlgc::python
