// Files of flags, for --config: the part of TOML that flags need. A key is a flag without its dashes, or what the help
// calls a word without a flag; a table holds the flags of one command.
//
//     numerics = "exact"            # of every command
//     dim = ["B=8", "S=128"]        # a flag that may be repeated
//     [bench]                       # of `mlgc bench` alone, instead of what stands above
//     threads = 2
//     [explain.memory]
//     format = "json"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

namespace mlgc {

struct ConfigValue {
  enum class Kind : std::uint8_t { Text, Number, Boolean };
  Kind kind = Kind::Text;
  std::string text;  // of a number as it is written, without `_`
  Location at;
  std::size_t width = 1;
};

struct ConfigEntry {
  std::string table, key;  // `explain.memory`, empty above the first table; `format`
  std::vector<ConfigValue> values;
  bool is_list = false;
  Location at;  // of the key
  std::size_t width = 1;
};

struct ConfigTable {
  std::string name;
  Location at;
  std::size_t width = 1;
};

struct ConfigFile {
  std::vector<ConfigEntry> entries;
  std::vector<ConfigTable> tables;
};

// What can be read; what cannot was reported, each in its place.
[[nodiscard]] ConfigFile read_config(const SourceFile& file, const LocationTable& locations,
                                     DiagnosticEngine& diagnostics);

// As a value in quotes.
[[nodiscard]] std::string config_text(std::string_view text);

}  // namespace mlgc
