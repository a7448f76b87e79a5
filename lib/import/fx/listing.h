// The table that `torch.fx.Graph.print_tabular()` prints of a graph, byte for byte.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "import/fx/graph.h"

namespace mlgc::fx {

// The value as Python's repr() prints it.
[[nodiscard]] std::string python_text(const Literal& value);

// Opcode, name, target, args, kwargs.
using ListingRow = std::array<std::string, 5>;
// Below its header, aligned as FX aligns them.
[[nodiscard]] std::string listing_table(const std::vector<ListingRow>& rows);

[[nodiscard]] std::string listing(const Graph& graph);

}  // namespace mlgc::fx
