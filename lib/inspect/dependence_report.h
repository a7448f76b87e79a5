// What each op reads and who reads it: dependences of a whole module, or the definition, the uses and the slices of one
// value.
#pragma once

#include <string>

#include "inspect/graph_view.h"

namespace mlgc {

[[nodiscard]] std::string dependence_text(const Module& module, const ViewOptions& options);

inline constexpr int kDependenceJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string dependence_json(const Module& module, const ViewOptions& options);

}  // namespace mlgc
