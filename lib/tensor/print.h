// Tensors as text: nested brackets as PyTorch and NumPy print them, every number as the shortest text that reads back
// to the same value of its dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensor/tensor.h"

namespace mlgc {

struct TensorPrintOptions {
  // A tensor with more elements shows only the first and last `edge_items` of each dimension, with `...` between.
  std::int64_t max_elements = 1000;
  std::int64_t edge_items = 3;
};

// Without a final newline. Columns are aligned to the widest number shown; rows are never wrapped. An empty tensor is
// "[]", rank 0 a bare number, i1 `true` and `false`. Above rank 1000 the elements are one flat list.
[[nodiscard]] std::string print_tensor(const Tensor& tensor, const TensorPrintOptions& options = {});

// One element: "1.0", "0.1", "1e-07", "nan", "inf", "-3", "true", "1.0-2.5j".
[[nodiscard]] std::string print_element(const Tensor& tensor, std::int64_t i);

// The shortest text that reads back to the same number: "1.0", "0.1", "1e+20", "nan", "-inf". Floats always show that
// they are floats.
[[nodiscard]] std::string format_number(double value);
[[nodiscard]] std::string format_number(float value);
[[nodiscard]] std::string format_number(Half value);
[[nodiscard]] std::string format_number(BFloat16 value);

}  // namespace mlgc
