// --dim=NAME=SIZE, of commands that bind sizes of symbols.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "execution/bind_arguments.h"

namespace mlgc {

// `B=4`. Error: what is wrong.
[[nodiscard]] Result<SizeBinding, SpecFault> parse_dim_flag(std::string_view text);
// All values of --dim of a command. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_dim_flags(const std::vector<std::string>& texts, std::string_view command,
                                                       std::vector<SizeBinding>& dims);

}  // namespace mlgc
