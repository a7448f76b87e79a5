// Sorting for the interpreter, in n log n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace mlgc {

struct SortRequest {
  std::size_t axis = 0;
  bool descending = false;
  std::int64_t kept = 0;  // elements along the axis in the results: the first ones, then zeros
};

// The elements in order along the axis, as `values`, and where they were. Stable; NaN is the largest. The rank is at
// least 1.
[[nodiscard]] std::vector<Tensor> sorted(const Tensor& x, const SortRequest& request, Dtype values);

}  // namespace mlgc
