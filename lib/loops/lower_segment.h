// Private to lib/loops: a segment, which a target computes as a whole, as a function that is launched.
//
// Guarantees
//   - The function holds an `external` and nothing else: its ops are those of the segment, in their order.
//   - Its arguments are the buffers of the segment's operands, then of the results that somebody reads.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/module.h"

namespace mlgc::loops {

// What calls change: states, and weights that a function updates.
using ChangedSymbols = std::unordered_set<std::string_view>;
[[nodiscard]] ChangedSymbols changed_symbols(const Module& module);

// Why no target can be given the segment; empty: one can.
[[nodiscard]] std::string why_not_external(OpRef segment, const ChangedSymbols& changed);

// `accel_linear_relu`, for names of functions.
[[nodiscard]] std::string segment_words(OpRef segment);

// Gives readers of what the segment does not compute (its arguments, weights, constants, sizes) and of what it yields
// twice something else to read, and notes what by the result that they read before.
void simplify_results(OpRef segment, std::unordered_map<ValueId, Value>& replaced);

// Precondition: simplify_results() was called; some result is read.
[[nodiscard]] OpRef lower_segment(Module& module, OpRef segment, std::string_view name);

}  // namespace mlgc::loops
