// Which axis of the buffers of a host function runs along the channels of its convolutions and linear layers.
//
//     %y[n, o, h, w] = sum over c, i, j of %x[n, c, h + i, w + j] * %w[o, c, i, j]     axis 1 of %x and of %y
//
// Each contraction with a weight says it of what else it reads and of what its kernel writes: the axis along which
// the weight varies, too. From there it goes on to every buffer that a kernel goes through with the same loop.
//
// Guarantees
//   - An axis is named only where one alone qualifies, and where all kernels that say something say the same.
//   - Linear in the accesses of the kernels times the axes of their buffers.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "ir/module.h"

namespace mlgc::schedule {

// What convolutions multiply that is an argument of the host function: a weight too, or not.
enum class WeightArguments { Ignore, Count };
// Of the memory that the host function allocates. Precondition: its kernels have no schedule yet.
[[nodiscard]] std::unordered_map<ValueId, std::size_t> channel_axes(
    OpRef host_function, WeightArguments arguments = WeightArguments::Ignore);

}  // namespace mlgc::schedule
