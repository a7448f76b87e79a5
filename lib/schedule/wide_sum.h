// Private to lib/schedule: how loops come to what they carry, and sums of f32 that they carry in f64.
#pragma once

#include <optional>
#include <vector>

#include "diag/diagnostic.h"
#include "loopir/loop_ops.h"
#include "ops/combine.h"
#include "support/result.h"

namespace mlgc::schedule {

// How a carried value comes to be: through loops that only pass it on, to the op that takes one step.
struct ReductionChain {
  std::vector<ForRef> loops;  // from the outside
  std::vector<std::size_t> numbers;
  OpRef step;
  ScalarFn fn = ScalarFn::Add;
};
// Error: it is not a reduction by a function that combines.
[[nodiscard]] Result<ReductionChain, Diagnostic> reduction_chain(ForRef loop, std::size_t number);

// A sum or product of f32 that the loop, or loops inside, carry in f64, and the cast of its terms.
struct WideReduction {
  ReductionChain chain;
  OpRef widening;
  std::size_t taken = 0;  // the operand of the step that the cast is
};
[[nodiscard]] std::optional<WideReduction> wide_reduction(ForRef loop, std::size_t number);
// Of those the sums.
[[nodiscard]] std::optional<WideReduction> wide_sum(ForRef loop, std::size_t number);

// Carries it in f32 from then on, in all loops. The caller sees to what it starts from, and to who takes its result.
void carry_as_f32(const WideReduction& wide);

}  // namespace mlgc::schedule
