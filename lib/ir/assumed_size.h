// What a size counts as, or a loop's trip count, where it is unknown and work is estimated.
#pragma once

#include <cstdint>

namespace mlgc {

inline constexpr std::int64_t kAssumedSize = 256;

}  // namespace mlgc
