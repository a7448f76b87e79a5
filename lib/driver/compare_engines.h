// mlgc compare --against=ENGINE,…: the flags of execution/compare_engines.h, and its line.
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
  InputFlags run;                    // without inputs they are generated as by --verify-each=numeric
  DataOptions data;
  std::uint64_t seed = 0;
  std::optional<std::string> pipeline;
  Words pass_flags;
};

// `ENGINE`: a line each, for help.
[[nodiscard]] std::string engines_help();

// Prints a line of what agreed. Exit code 4 where an engine parts, that of its error where one cannot be used.
[[nodiscard]] ExitCode run_compare_engines(const Console& console, const CompareEnginesFlags& flags);

}  // namespace mlgc
