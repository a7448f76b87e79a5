// mlgc compare --against=ENGINE,…: runs functions with several engines (engines.h), and names the first value where one
// of them is further from f64 than it may be.
//
// Guarantees
//   - What is allowed is agrees() (tensor/compare.h): 4 ulp, or twice what another engine is wrong by on the same
//     inputs, or on neighbours of them: PyTorch, else the first of the others, else the interpreter.
//   - Values are judged in the order in which the interpreter computes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/arguments.h"
#include "driver/input_flags.h"

namespace mlgc {

struct CompareEnginesFlags {
  std::string input;
  std::vector<std::string> engines;  // of --against
  InputFlags run;                    // without inputs they are drawn as --verify-each=numeric draws them
  DataFlags data;
  std::uint64_t seed = 0;
  std::optional<std::string> pipeline;
  Words pass_flags;
};

// `ENGINE`: a line each, for help.
[[nodiscard]] std::string engines_help();

// Prints a line of what agreed. Exit code 4 where an engine parts, that of its error where one cannot be used.
[[nodiscard]] ExitCode compare_engines(const Console& console, const CompareEnginesFlags& flags);

}  // namespace mlgc
