// Why a use of a result is fused, or is not: one row for each reason, which reports and docs/fusion.md show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlgc {

enum class FusionReason : std::uint8_t {
  // Together:
  Element,   // the reader needs the element that was just computed
  Reduced,   // the reader reduces rows that were just computed
  Epilogue,  // after a contraction, on its element
  Tile,      // the reader reads rows of a tile that was just computed
  Movement,  // one of the two only moves elements: index arithmetic in the other
  View,      // elements stay where they are: no kernel, no copy
  // Apart:
  NoKernel,     // one of the two is not a kernel: control flow, a hook, a call
  Fusion,       // one of the two is a fusion that is there: it stays as it is
  Region,       // they stand in different regions, of which one may run never, or many times
  Cycle,        // between the two another kernel may have to run: the reader comes later than it
  Contraction,  // a contraction uses its operand many times, or somebody needs whole rows of its result
  Scatter,      // a scatter is complete only when all of it has run
  Window,       // the reader would reduce elements in the loops that reduce their windows
  Rows,         // together they would have too few parallel rows for all threads
  RowMemory,    // what a row keeps for later steps does not fit in cache
  Division,     // a contraction would divide for each element that it reads
  Order,        // moved like this, rows of a contraction would be too short for vectors
  Repeated,     // it would be recomputed for each element of another dim
  Subscripts,   // computing a subscript would take longer than another pass over memory
  Limit,        // the kernel has max-ops ops
};
[[nodiscard]] std::string_view fusion_reason_name(FusionReason reason);    // kebab-case
[[nodiscard]] std::string_view fusion_reason_text(FusionReason reason);    // one sentence
[[nodiscard]] std::string_view fusion_reason_remedy(FusionReason reason);  // what would unblock it; empty: nothing
[[nodiscard]] bool is_fused(FusionReason reason);

inline constexpr std::size_t kFusionReasonCount = static_cast<std::size_t>(FusionReason::Limit) + 1;

}  // namespace mlgc
