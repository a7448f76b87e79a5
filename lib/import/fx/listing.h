// The table that `torch.fx.Graph.print_tabular()` prints of a graph, byte for byte.
#pragma once

#include <string>

#include "import/fx/graph.h"

namespace mlgc::fx {

// As Python's repr() spells the value.
[[nodiscard]] std::string python_text(const Literal& value);

[[nodiscard]] std::string listing(const Graph& graph);

}  // namespace mlgc::fx
