// Private to lib/machine: the texts of machines/*.json, in the order in which they are listed.
#pragma once

#include <span>
#include <string_view>

namespace mlgc {

[[nodiscard]] std::span<const std::string_view> machine_files();

}  // namespace mlgc
