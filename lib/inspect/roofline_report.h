// The kernels of a model under the roof of a machine: what each computes and moves, what bounds it, and the least time
// that it can take.
#pragma once

#include <string>

#include "inspect/graph_view.h"
#include "machine/machine.h"

namespace mlgc {

[[nodiscard]] std::string roofline_text(const Module& module, const ViewOptions& options, const Machine& machine);

inline constexpr int kRooflineJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string roofline_json(const Module& module, const ViewOptions& options, const Machine& machine);

}  // namespace mlgc
