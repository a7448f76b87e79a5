// Calls of ATen as text of Python.
#pragma once

#include <string>

#include "export/torch/torch_program.h"
#include "tensor/tensor.h"

namespace mlgc {

// `torch.float32`.
[[nodiscard]] std::string python_dtype(Dtype dtype);
[[nodiscard]] std::string python_text(const Context& context, const TorchArgument& argument);
// `aten.add.Tensor` of `aten::add.Tensor`.
[[nodiscard]] std::string python_target(std::string_view target);
// Tensors first, by position, then everything else by name: which parameters take names only is not known.
[[nodiscard]] std::string python_arguments(const Context& context, const TorchNode& node);
// `torch.tensor([1.0, 2.0], dtype=torch.float32)`.
[[nodiscard]] std::string python_tensor(const Tensor& tensor);
// What a Size node computes: `(x.shape[0] - 1)//2`.
[[nodiscard]] std::string python_size(const TorchNode& node);
// `a, b`.
[[nodiscard]] std::string joined(const std::vector<std::string>& items);

}  // namespace mlgc
