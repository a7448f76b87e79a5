// Completions for shells, and the manual page: made from the tables of commands and flags, so that they cannot be old.
#pragma once

#include <span>
#include <string>

#include "driver/flag_table.h"

namespace mlgc {

[[nodiscard]] std::string bash_completion(std::span<const FlagTable> tables);
[[nodiscard]] std::string zsh_completion(std::span<const FlagTable> tables);
[[nodiscard]] std::string fish_completion(std::span<const FlagTable> tables);
// In the macros of man(7).
[[nodiscard]] std::string manual_page(std::span<const FlagTable> tables);

}  // namespace mlgc
