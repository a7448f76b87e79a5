// Element types. The table below is the only place that states their names, widths and categories.
//
// Complex types are carried, not computed with: values of them go through what holds a program together, and only an
// operator that mlgc does not know takes or gives them. They stand last, so that whatever computes counts the first
// kRealDtypeCount.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace mlgc {

enum class Dtype : std::uint8_t { I1, I8, UI8, I16, I32, I64, F16, BF16, F32, F64, C64, C128 };
inline constexpr std::size_t kDtypeCount = 12;
inline constexpr std::size_t kRealDtypeCount = 10;

// Promotion order of categories (op-level promotion is the importers' business).
enum class DtypeCategory : std::uint8_t { Bool, Integer, Float, Complex };

struct DtypeInfo {
  std::string_view name;        // as in the text form
  std::string_view torch_name;  // as in Python, without `torch.`
  std::size_t bytes;            // storage per element; i1 takes one byte, 0 or 1
  DtypeCategory category;
};

inline constexpr std::array<DtypeInfo, kDtypeCount> kDtypes{{
    {"i1", "bool", 1, DtypeCategory::Bool},
    {"i8", "int8", 1, DtypeCategory::Integer},
    {"ui8", "uint8", 1, DtypeCategory::Integer},
    {"i16", "int16", 2, DtypeCategory::Integer},
    {"i32", "int32", 4, DtypeCategory::Integer},
    {"i64", "int64", 8, DtypeCategory::Integer},
    {"f16", "float16", 2, DtypeCategory::Float},
    {"bf16", "bfloat16", 2, DtypeCategory::Float},
    {"f32", "float32", 4, DtypeCategory::Float},
    {"f64", "float64", 8, DtypeCategory::Float},
    {"c64", "complex64", 8, DtypeCategory::Complex},
    {"c128", "complex128", 16, DtypeCategory::Complex},
}};

[[nodiscard]] constexpr const DtypeInfo& dtype_info(Dtype d) { return kDtypes[static_cast<std::size_t>(d)]; }
[[nodiscard]] constexpr bool is_float(Dtype d) { return dtype_info(d).category == DtypeCategory::Float; }
[[nodiscard]] constexpr bool is_integer(Dtype d) { return dtype_info(d).category == DtypeCategory::Integer; }
[[nodiscard]] constexpr bool is_complex(Dtype d) { return dtype_info(d).category == DtypeCategory::Complex; }
// Results are rounded.
[[nodiscard]] constexpr bool is_inexact(Dtype d) { return is_float(d) || is_complex(d); }
// The type of the real and the imaginary part. Precondition: is_complex(d).
[[nodiscard]] constexpr Dtype part_dtype(Dtype d) { return d == Dtype::C64 ? Dtype::F32 : Dtype::F64; }
// The dtype of the reference for values of this type: f64 of floats, c128 of complex numbers, the type itself of
// others.
[[nodiscard]] constexpr Dtype reference_dtype(Dtype d) {
  return is_float(d) ? Dtype::F64 : is_complex(d) ? Dtype::C128 : d;
}
// The least and the greatest value of an integer type, i1 included; of i64 for others.
[[nodiscard]] constexpr std::pair<std::int64_t, std::int64_t> extreme_integers(Dtype d) {
  if (d == Dtype::I1) return {0, 1};
  if (d == Dtype::UI8) return {0, 255};
  const std::size_t bits = is_integer(d) ? 8 * dtype_info(d).bytes : 64;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  return {-most - 1, most};
}
[[nodiscard]] constexpr std::optional<Dtype> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < kDtypeCount; ++i)
    if (kDtypes[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

}  // namespace mlgc
