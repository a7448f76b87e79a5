// Which ops of the forward part are recomputed in backward.
//
// A minimum cut: every value that backward reads is saved, at the cost of its bytes, or its op is recomputed, at the
// cost of its time, and then the same holds for what that op reads. Function arguments, weights and constants are
// available anyway. Without checkpoints this is the choice of Inductor's min-cut partitioner. Values saved at
// checkpoints cut the forward part into segments that are recomputed one at a time (Chen, Xu, Zhang, Guestrin,
// "Training Deep Nets with Sublinear Memory Cost", 2016, section 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rematerialize/forward_part.h"

namespace mlgc {

// What may be recomputed, from nothing to everything but what RecomputeKind::Never says.
enum class Recompute : std::uint8_t {
  None,
  Fast,        // elementwise ops, where that takes less time than keeping what they compute
  Cheap,       // elementwise ops, wherever that keeps fewer bytes
  Reductions,  // these too
  All,         // and contractions
};

// By these names, in this order.
inline constexpr std::array<std::string_view, 5> kRecomputeNames{"none", "fast", "cheap", "reductions", "all"};
// For the help of a flag and of a pass's option.
inline constexpr std::string_view kRecomputeHelp =
    "none: nothing; fast: elementwise ops, where that takes less time than keeping them; cheap: elementwise ops; "
    "reductions: these and reductions; all: products too";

[[nodiscard]] std::string_view recompute_name(Recompute what);
[[nodiscard]] std::optional<Recompute> find_recompute(std::string_view name);
// `none, fast, …`
[[nodiscard]] std::string recompute_names();

struct RecomputeChoice {
  Recompute what = Recompute::None;
  // Into how many segments of like bytes the forward part is cut; what is alive between two of them is kept. At least
  // one, where all is one segment; without meaning for None and Fast.
  std::size_t segments = 1;
  friend bool operator==(const RecomputeChoice&, const RecomputeChoice&) = default;
};

// Why a value is saved, although backward, or an op that is recomputed, reads it.
enum class KeptReason : std::uint8_t {
  Never,     // its op cannot be recomputed
  Level,     // its op may not: Recompute says so
  Result,    // the function returns it, so it is there to the end
  Segment,   // it is alive between two segments
  LastPart,  // it stands in the last segment, which is needed at once: only elementwise ops are recomputed there
  Cheaper,   // what computing it again needs would be more to keep, or take longer
};

struct KeptValue {
  Value value;
  KeptReason reason;
};

struct Recomputed {
  std::unordered_set<OpId> ops;  // that are recomputed
  std::vector<KeptValue> kept;   // what backward, or an op that is recomputed, reads of the others
};

[[nodiscard]] Recomputed choose_recomputed(const ForwardPart& part, const RecomputeChoice& choice);

}  // namespace mlgc
