// Pieces of formula text for rows that build theirs: index labels `d0`, `d1`, … for the axes of an operand.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "ops/op_types.h"

namespace mlgc {

// `d2, d3` for 2 and 4; empty when first >= last.
[[nodiscard]] std::string labels(std::size_t first, std::size_t last);
// Index labels of the spatial axes of a window's result and of the window itself, outermost first.
inline constexpr std::string_view kOutLabels[] = {"h", "w", "z"}, kTapLabels[] = {"p", "q", "r"};
// `d0, x, d2` for rank 3, axis 1 and `x`; an empty replacement leaves the axis out.
[[nodiscard]] std::string labels_with(std::size_t rank, std::size_t axis, const std::string& replacement);
// `dim(x, 1)`
[[nodiscard]] std::string dim_text(const OpTypes& types, std::size_t operand, std::size_t axis);
// `name.2`
[[nodiscard]] std::string item_text(std::string_view list, std::size_t i);
// The parts that are not empty, with ", " between them.
[[nodiscard]] std::string joined(std::initializer_list<std::string> parts);

// The axis that a constant attribute names, counted from the front.
[[nodiscard]] Result<std::size_t, Diagnostic> axis_of(const Attrs& attrs, std::string_view name, std::string_view op,
                                                      std::size_t rank);

// A position along an axis of operand 0 as text: a negative constant counts from the end; `clamped` limits constants to
// the axis, as slices do. Expressions over sizes are taken as they are.
[[nodiscard]] std::string position_text(const OpTypes& types, const Attrs& attrs, std::string_view name,
                                        std::size_t axis, bool clamped);

}  // namespace mlgc
