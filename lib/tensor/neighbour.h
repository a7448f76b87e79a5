// Tensors that hardly differ from a given one. How wrong a computation is on inputs is a draw: on one set of numbers
// its roundings happen to cancel, on another they add up, and on another processor PyTorch takes another kernel. So
// what eager PyTorch is wrong by is asked of neighbours, too, before a result counts as too wrong (compare.h).
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace mlgc {

// How many are asked, numbered from 1.
inline constexpr std::uint64_t kNeighbours = 8;

// Each element of a float tensor is the given one, or one ulp above or below it, at random by `number`: the same for
// the same number everywhere. Zeros, ±1, infinities and NaN, which are often the ends of domains, stay; so do other
// dtypes.
[[nodiscard]] Tensor neighbour(const Tensor& tensor, std::uint64_t number);

}  // namespace mlgc
