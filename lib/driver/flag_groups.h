// Under which heading of the help a flag stands: the same one in every command.
#pragma once

#include <span>
#include <string_view>

namespace mlgc {

// In the order in which help shows them.
[[nodiscard]] std::span<const std::string_view> flag_group_names();
// Of `--dim`. Every flag of every command is in a group.
[[nodiscard]] std::string_view flag_group(std::string_view flag);

}  // namespace mlgc
