// `sort` and `topk` as loops of their own: short rows count for each element those that come before it, longer ones are
// radix sorts (Knuth, The Art of Computer Programming, volume 3, section 5.2.5), and a few elements are selected.
//
// Guarantees
//   - The same elements at the same places as by the formula: equal elements keep their order, NaN is the largest.
//   - Beyond a length that does not depend on the row, N elements take a number of steps linear in N; rows are
//   parallel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/module.h"

namespace mlgc {

// The op, or the only one of a fusion of one operand; else an invalid handle.
[[nodiscard]] OpRef lone_op(OpRef op);

// Elements of a row that are tested together whether one of them changes what is selected or carried so far: in a row
// in random order the k-th one is its extremum so far once in k times. A policy; no result depends on it.
inline constexpr std::int64_t kTestedElements = 64;

// The `sort` or `topk` that an op is, or that is all a fusion computes, of its only operand; else an invalid handle.
[[nodiscard]] OpRef sorting_op(OpRef op, const Facts& facts);

// Appends `func @name(x, results...)`: result i is number `results[i]` of the sorting op (0 values, 1 indices), which
// sorting_op() gave.
// By merges many threads share a row (merge_sort.h).
enum class SortBy : std::uint8_t { Digits, Merges };
OpRef lower_sort(Module& module, OpRef sort, std::span<const std::size_t> results, std::string_view name,
                 SortBy by = SortBy::Digits);

}  // namespace mlgc
