// Residual connections of a model, each with where it begins, its body and its shortcut, and where it stands in the
// source; and which functions are chains.
#pragma once

#include <string>

#include "inspect/graph_view.h"

namespace mlgc {

[[nodiscard]] std::string residual_text(const Module& module, const ViewOptions& options);

inline constexpr int kResidualJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string residual_json(const Module& module, const ViewOptions& options);

}  // namespace mlgc
