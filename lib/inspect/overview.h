// What a model is, on one screen: ops by class and opcode, parameters, work against the roof of a machine, dtypes,
// symbols, residual connections, control flow, states, and whether its functions are chains.
#pragma once

#include <string>

#include "inspect/graph_view.h"
#include "machine/machine.h"

namespace mlgc {

[[nodiscard]] std::string overview_text(const Module& module, const ViewOptions& options, const Machine& machine);

inline constexpr int kOverviewJsonVersion = 1;
// docs/inspecting.md describes the members.
[[nodiscard]] std::string overview_json(const Module& module, const ViewOptions& options, const Machine& machine);

}  // namespace mlgc
