// Ops of a model by opcode, with what they compute and move one by one; or one of them with all that its row says.
#pragma once

#include <string>

#include "inspect/graph_view.h"

namespace mlgc {

[[nodiscard]] std::string op_text(const Module& module, const ViewOptions& options);

inline constexpr int kOpJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string op_json(const Module& module, const ViewOptions& options);

}  // namespace mlgc
