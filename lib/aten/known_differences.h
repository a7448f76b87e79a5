// Differences from ATen that are understood and stay, each with its reason. The comparison of single rows has a table
// of its own (test/aten/known.py), with the cases in which they show.
#pragma once

#include <string_view>

#include "interp/interpret_module.h"

namespace mlgc {

// The reason; empty when the difference is none of these. `mine` is null where the op was refused and ATen
// computed it.
[[nodiscard]] std::string_view known_difference(const OpRun& run, const Tensor* mine);

// Why ATen may not be called: with such operands it reads or writes outside its memory. Empty when it may.
[[nodiscard]] std::string_view why_not_called(const OpRun& run);

// A row that divides by a deviation that it computes.
[[nodiscard]] bool keeps_statistics(std::string_view row);

}  // namespace mlgc
