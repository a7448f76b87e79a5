// `sort` and `topk` as loops of their own: rows are sorted by merging, where the formula of the op counts for each
// element all that come before it.
//
// Guarantees
//   - The same elements at the same places as by the formula: equal elements keep their order, NaN is the largest.
//   - N elements of a row take N log N steps; rows are parallel.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ir/module.h"

namespace mlgc {

// The op, or the only one of a fusion of one operand; else an invalid handle.
[[nodiscard]] OpRef lone_op(OpRef op);

// A few elements of a row (`topk`) are selected instead: each is compared with the last of the best so far.
// The `sort` or `topk` that an op is, or that is all a fusion computes, of its only operand; else an invalid handle.
[[nodiscard]] OpRef sorting_op(OpRef op, const Facts& facts);

// Appends `func @name(x, results...)`: result i is number `results[i]` of the sorting op (0 values, 1 indices), which
// sorting_op() gave.
OpRef lower_sort(Module& module, OpRef sort, std::span<const std::size_t> results, std::string_view name);

}  // namespace mlgc
