// `cummax` and `cummin` as loops of their own: the extremum so far and its place are carried. Of contiguous rows,
// blocks in which nothing reaches it are filled in lanes.
//
// Guarantees: the elements and places that the formula of the op says; of equal elements the last, and NaN, once there,
// until the next one.
#pragma once

#include <span>
#include <string_view>

#include "ir/module.h"

namespace mlgc {

// The `cummax` or `cummin` along the last axis that an op is, or that is all a fusion computes, of its only operand;
// else an invalid handle. `for_threads`: instead one along another axis, of which threads enough have a column each; in
// rows they share what the formula says.
[[nodiscard]] OpRef running_extremum_op(OpRef op, bool for_threads);

// Appends `func @name(x, results...)`: result i is number `results[i]` of the op (0 values, 1 indices), which
// running_extremum_op() gave.
OpRef lower_running_extremum(Module& module, OpRef op, std::span<const std::size_t> results, std::string_view name);

}  // namespace mlgc
