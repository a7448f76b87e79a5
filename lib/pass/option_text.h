// Values of options in pipeline text, and in the list of options of `--pass=`.
//
// A value stands as it is where it reads back so: quotes and brackets of any kind enclose blanks, commas and braces. A
// text that begins with a quote is what stands between that quote and the next, with \" and \\ for these two and \n for
// the end of a line; so is each item of a list.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace mlgc {

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The position after the value that begins at `at`: a blank, a comma before a blank or a closing brace, a closing
// brace, or the end. Nothing when a quote or bracket is not closed.
[[nodiscard]] std::optional<std::size_t> option_value_end(std::string_view text, std::size_t at);

// What a value says. Error: what is wrong about its quotes; of a list also that an item is empty.
[[nodiscard]] Result<std::string> read_option_text(std::string_view value);
[[nodiscard]] Result<std::vector<std::string>> read_option_list(std::string_view value);

// The value that says it, in quotes where it needs them.
[[nodiscard]] std::string option_text(std::string_view text);
[[nodiscard]] std::string option_list(std::span<const std::string> items);

}  // namespace mlgc
