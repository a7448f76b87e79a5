// Types of all values of a model: where the symbols in their sizes come from, which ops make new sizes, and bytes.
#pragma once

#include <string>

#include "inspect/graph_view.h"

namespace mlgc {

[[nodiscard]] std::string shape_text(const Module& module, const ViewOptions& options);

inline constexpr int kShapeJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string shape_json(const Module& module, const ViewOptions& options);

}  // namespace mlgc
