// Channels last: buffers between convolutions whose channels are contiguous in memory.
//
//     %t = alloc : buffer<1x64x56x56xf32, arena>   becomes   %t = alloc : buffer<1x56x56x64xf32, arena>
//
// Buffers that kernels share change together, since a kernel that reads one order and writes another one copies across
// lanes; memory of the caller stays, so the first and the last kernel do just that.
//
// Guarantees
//   - Which axis runs along channels, channel_axes.h says. Buffers that may not be permuted stay, with the reason.
//   - With MemoryFormat::Auto a group changes where all of its kernels together, scheduled, are predicted (predict.h)
//     to take less on one core of the default machine: the choice decides in which order sums are added, and so must
//     not follow from the machine that is compiled for.
//   - The verdict stands in the text: `layout.order` on each `alloc` that was changed, `layout.kept` on the others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/module.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "schedule/permute_axes.h"

namespace mlgc {

enum class MemoryFormat : std::uint8_t { Contiguous, ChannelsLast, Auto };
// Of the pass option and of --memory-format, in the order of the formats; the first is the default.
inline constexpr std::array<std::string_view, 3> kMemoryFormatNames{"contiguous", "channels_last", "auto"};
[[nodiscard]] std::optional<MemoryFormat> memory_format(std::string_view name);

namespace schedule {

struct ChannelsLastCounts {
  std::uint64_t changed = 0, kept = 0;  // buffers
};

ChannelsLastCounts put_channels_last(OpRef host_function, MemoryFormat format, Numerics numerics,
                                     AxisPermuter& permuter, RewriteGate& gate);

// For the matrix unit of a GPU, which takes the channels of a pixel in pieces: the buffers of 16-bit floats change, and
// then weights whose channels multiply them.
ChannelsLastCounts put_channels_last_for_matrix_unit(OpRef host_function, AxisPermuter& permuter, RewriteGate& gate);

}  // namespace schedule

}  // namespace mlgc
