// `inf` and `nan`: the pretty form's words for what has no digits. MLIR has none, so that its form states bits.
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/dtype.h"

namespace mlgc::text {

[[nodiscard]] constexpr bool is_special_number(std::string_view word) { return word == "inf" || word == "nan"; }

// Of the float type, without a sign. `nan` is one NaN of many: quiet, with no other bit of its payload set.
[[nodiscard]] constexpr std::uint64_t special_number_bits(std::string_view word, Dtype dtype) {
  const bool nan = word == "nan";
  switch (dtype) {
    case Dtype::F16: return nan ? 0x7E00 : 0x7C00;
    case Dtype::BF16: return nan ? 0x7FC0 : 0x7F80;
    case Dtype::F32: return nan ? 0x7FC00000 : 0x7F800000;
    default: return nan ? 0x7FF8000000000000 : 0x7FF0000000000000;
  }
}

// The word, with its sign, that says these bits of the float type; empty: none does.
[[nodiscard]] constexpr std::string_view special_number_text(std::uint64_t bits, Dtype dtype) {
  const std::uint64_t sign = std::uint64_t{1} << (dtype_info(dtype).bytes * 8 - 1);
  if (bits == special_number_bits("nan", dtype)) return "nan";
  if ((bits & ~sign) != special_number_bits("inf", dtype)) return {};
  return bits == (bits & ~sign) ? "inf" : "-inf";
}

}  // namespace mlgc::text
