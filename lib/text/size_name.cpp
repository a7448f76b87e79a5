// See size_name.h.
#include "text/size_name.h"

#include <algorithm>
#include <array>

#include "tensor/dtype.h"

namespace mlgc {

bool is_reserved_for_sizes(std::string_view word) {
  static constexpr std::array<std::string_view, 23> kWords{
      "floordiv", "ceildiv", "mod",     "min",        "max",     "true",  "false",   "tensor",
      "buffer",   "vector",  "index",   "none",       "dense",   "array", "complex", "memref",
      "where",    "loc",     "updates", "attributes", "weights", "inf",   "nan"};
  return std::ranges::find(kWords, word) != kWords.end() || parse_dtype(word).has_value();
}

bool is_size_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); }) &&
         !is_reserved_for_sizes(name);
}

}  // namespace mlgc
