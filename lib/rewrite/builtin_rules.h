// The rule files that are part of the program: lib/rewrite/rules/<name>.rules.
#pragma once

#include <span>
#include <string_view>

namespace mlgc {

struct BuiltinRules {
  std::string_view name;  // of the file, without its extension
  std::string_view text;
};

// Sorted by name.
[[nodiscard]] std::span<const BuiltinRules> builtin_rules();

}  // namespace mlgc
