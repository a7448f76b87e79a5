// Numbers of bytes as people write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mlgc {

// `4096`, `64KiB`, `512MiB`, `4GiB`; nothing where the text is no such size, or none that fits in 63 bits.
[[nodiscard]] std::optional<std::int64_t> read_byte_size(std::string_view text);

// In the largest unit that leaves at least one, with one digit after the point where that is not all: `1.5 MiB`,
// `512 bytes`. Precondition: not negative.
[[nodiscard]] std::string byte_size_text(std::int64_t bytes);

// The same of two numbers that differ, where a comparison is to be seen: in bytes, where units would hide it.
[[nodiscard]] std::pair<std::string, std::string> byte_size_texts(std::int64_t first, std::int64_t second);

}  // namespace mlgc
