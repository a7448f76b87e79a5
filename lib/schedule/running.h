// Private to lib/schedule: running reductions, whose loops use what they have reduced so far in each iteration
// (cumsum).
#pragma once

#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/loop_ops.h"
#include "ops/combine.h"
#include "ops/numerics.h"
#include "schedule/refusal.h"
#include "support/result.h"

namespace mlgc::schedule {

// What a loop carries, each by a step that takes a term which does not follow from what is carried.
struct Running {
  std::vector<CarriedStep> steps;
  std::vector<Value> terms;
  std::vector<OpRef> computes;  // the terms, in the body's order
};
// Error: the loop is none such.
[[nodiscard]] Result<Running, Diagnostic> running_reduction(ForRef loop);

// Copies what computes the terms, and takes one step with them, from `carried` on.
std::vector<Value> running_step_like(Builder& builder, ForRef loop, const Running& running,
                                     const std::vector<Value>& carried, ValueMap& map);

// What another order of the terms may alter, as vectorizing_changes() says of a reduction.
[[nodiscard]] NumericsClass running_changes(OpRef loop);

}  // namespace mlgc::schedule
