// Private to lib/schedule: how loops come to what they carry, and sums of f32 that they carry in f64.
#pragma once

#include <string>
#include <vector>

#include "ops/combine.h"
#include "ops/loop_ops.h"
#include "support/result.h"

namespace mlgc::schedule {

// How a carried value comes to be: through loops that only pass it on, to the op that takes one step.
struct ReductionChain {
  std::vector<ForRef> loops;  // from the outside
  std::vector<std::size_t> numbers;
  OpRef step;
  ScalarFn fn = ScalarFn::Add;
};
// Error: why it is no reduction by a function that combines.
[[nodiscard]] Result<ReductionChain, std::string> reduction_chain(ForRef loop, std::size_t number);

// A sum or product of f32 in f64, which the loop or loops inside take.
[[nodiscard]] bool is_wide(ForRef loop, std::size_t i);

// The step of such a sum, which the loop itself takes, and the cast of its terms; invalid ops for what is none.
struct WideSum {
  OpRef step, widening;
};
[[nodiscard]] WideSum wide_sum(ForRef loop, std::size_t i);

// Carries it in f32 from then on. The caller sees to what it starts from, and to who takes its result.
void carry_as_f32(ForRef loop, std::size_t i, const WideSum& sum);

}  // namespace mlgc::schedule
