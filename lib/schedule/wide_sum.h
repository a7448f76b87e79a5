// Private to lib/schedule: sums of f32 that a loop carries in f64.
#pragma once

#include "ops/loop_ops.h"

namespace mlgc::schedule {

// The step of such a sum, which the loop itself takes, and the cast of its terms; invalid ops for what is none.
struct WideSum {
  OpRef step, widening;
};
[[nodiscard]] WideSum wide_sum(ForRef loop, std::size_t i);

// Carries it in f32 from then on. The caller sees to what it starts from, and to who takes its result.
void carry_as_f32(ForRef loop, std::size_t i, const WideSum& sum);

}  // namespace mlgc::schedule
