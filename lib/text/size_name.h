// What a size may be called.
#pragma once

#include <string_view>

namespace mlgc {

// Words of the grammar where a size stands: operators of expressions, types, what ends a list of constraints.
[[nodiscard]] bool is_reserved_for_sizes(std::string_view word);

// Whether a size of that name reads back: letters, digits and `_`, no digit first, no reserved word.
[[nodiscard]] bool is_size_name(std::string_view name);

}  // namespace mlgc
