// Operators of TorchScript that work on Python's values: numbers, strings, lists, and what is asked of tensors' types.
#pragma once

#include <cstdint>

#include "import/python/tensor_memory.h"
#include "import/python/values.h"

namespace mlgc::python {

enum class Ran : std::uint8_t {
  No,  // it is none of these, or works on tensors
  Yes,
  Failed,  // after a diagnostic
};

// Sets the outputs of the node when it is such an operator.
[[nodiscard]] Ran run_python_operator(Values& values, FunctionBuilder& builder, TensorMemory& tensors,
                                      const Node& node);

// Arithmetic and comparisons by the operator's name (`add`, `floordiv`, `lt`). An undefined value: after a diagnostic,
// or, when `known` is false, for a name that is none of them.
struct Computation {
  bool known = false;
  PythonValue value;
};
[[nodiscard]] Computation compute(FunctionBuilder& builder, const Node& node, std::string_view name,
                                  std::span<const PythonValue> operands);

}  // namespace mlgc::python
