// The table of a unit (lib/runtime/unit.h) as C++: constant data, and the function that gives it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/model_table.h"

namespace mlgc::codegen {

struct TableText {
  std::string module, version, symbol;                         // `mlp`, `0.1.0`, `mlgc_unit_mlp`
  std::string prepare;                                         // a function of the file, or nullptr
  std::vector<std::string> run;                                // of each function, likewise
  std::string features = "MLGC_FEATURES", device = "nullptr";  // what the unit needs, and runs on
};

// Functions, weights, states and segments; `unit.h` is included before.
[[nodiscard]] std::string print_table(const Module& module, std::span<const ModelFunction> functions,
                                      const ModelData& data, const DataPlaces& places, const TableText& text);

}  // namespace mlgc::codegen
