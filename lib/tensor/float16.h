// The two 16-bit float formats: conversions to and from f32, correct for every bit pattern and usable in constant
// expressions. Narrowing rounds to nearest, ties to even; overflow gives infinity; a NaN stays a NaN (made quiet, sign
// and the payload bits that fit are kept). Widening is exact and keeps every payload bit.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/dtype.h"

namespace mlgc {

// IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits.
struct Half {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Half, Half) = default;  // equality of bits, not of numbers
};

// The upper half of an f32: 1 sign, 8 exponent, 7 mantissa bits.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) = default;  // equality of bits, not of numbers
};

[[nodiscard]] constexpr float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

[[nodiscard]] constexpr float to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1FU;
  std::uint32_t mantissa = value.bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  // A subnormal is mantissa * 2^-24; shifting its leading one to bit 10 makes it a normal f32.
  const auto shift = static_cast<std::uint32_t>(std::countl_zero(mantissa)) - 21U;
  mantissa = (mantissa << shift) & 0x3FFU;
  return std::bit_cast<float>(sign | ((113U - shift) << 23) | (mantissa << 13));
}

[[nodiscard]] constexpr BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}

[[nodiscard]] constexpr Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U | ((magnitude >> 13) & 0x3FFU);
  } else if (magnitude >= 0x477FF000U) {  // 65520, half way between the largest finite value and 2^16
    half = 0x7C00U;
  } else if (magnitude >= 0x38800000U) {  // 2^-14, the smallest normal
    const std::uint32_t rebased = magnitude - 0x38000000U;
    half = (rebased + 0xFFFU + ((rebased >> 13) & 1U)) >> 13;
  } else if (magnitude > 0x33000000U) {  // above 2^-25, half of the smallest subnormal
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    const std::uint32_t shift = 126U - (magnitude >> 23);
    const std::uint32_t remainder = mantissa & ((1U << shift) - 1U);
    const std::uint32_t halfway = 1U << (shift - 1U);
    half = mantissa >> shift;
    if (remainder > halfway || (remainder == halfway && (half & 1U) != 0)) ++half;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

// What a number becomes when it is stored as this float dtype and read again; 16-bit ones round by way of f32. Itself
// for other dtypes.
[[nodiscard]] constexpr double round_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::F32: return static_cast<float>(value);
    case Dtype::F16: return to_float(to_half(static_cast<float>(value)));
    case Dtype::BF16: return to_float(to_bfloat16(static_cast<float>(value)));
    default: return value;
  }
}

}  // namespace mlgc
