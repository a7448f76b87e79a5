// Reads FX JSON: the text that scripts/export_fx.py writes, checked against the format's version 1. Unknown members are
// ignored.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "import/fx/graph.h"

namespace mlgc::fx {

// Nothing comes back after a diagnostic, which names the node and what was expected of it. Time is linear in the text.
[[nodiscard]] std::optional<Graph> read_graph(std::span<const std::byte> json, const std::string& file, Location at,
                                              DiagnosticEngine& engine);

}  // namespace mlgc::fx
