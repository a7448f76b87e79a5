// The 16-bit floats against definitions that share no code with the conversions: values computed by ldexp, and rounding
// found by searching the neighbours.
#include "tensor/float16.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support_catch.h"

namespace {

using mlgc::BFloat16;
using mlgc::Half;
using mlgc::to_bfloat16;
using mlgc::to_float;
using mlgc::to_half;

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// The number that a finite pattern of the format stands for.
double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double bfloat16_value(std::uint16_t bits) {
  const int exponent = (bits >> 7) & 0xFF;
  const int mantissa = bits & 0x7F;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(128 + mantissa, exponent - 134);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// Checks that `at(x)` for x between the neighbouring non-negative patterns lo and lo + 1 rounds to the nearer one and
// the midpoint to the even one. `infinity` is the first pattern that is not finite; its value counts as the next power.
template <class Value, class Narrow>
int count_rounding_errors(std::uint16_t infinity, int max_exponent, Value value, Narrow narrow) {
  int errors = 0;
  for (std::uint32_t lo = 0; lo < infinity; ++lo) {
    const auto low = static_cast<std::uint16_t>(lo);
    const auto high = static_cast<std::uint16_t>(lo + 1);
    const double below = value(low);
    const double above = high == infinity ? std::ldexp(1.0, max_exponent) : value(high);
    const auto middle = static_cast<float>((below + above) / 2);
    if (static_cast<double>(middle) != (below + above) / 2) continue;  // not representable: no tie to test
    const std::uint16_t even = (low & 1) == 0 ? low : high;
    const float inf = std::numeric_limits<float>::infinity();
    errors += narrow(middle) != even;
    errors += narrow(std::nextafter(middle, 0.0F)) != low;
    errors += narrow(std::nextafter(middle, inf)) != high;
    errors += narrow(-middle) != (even | 0x8000);
    errors += narrow(-std::nextafter(middle, 0.0F)) != (low | 0x8000);
    errors += narrow(-std::nextafter(middle, inf)) != (high | 0x8000);
  }
  return errors;
}

static_assert(to_half(1.0F).bits == 0x3C00 && to_float(Half{0x3C00}) == 1.0F);
static_assert(to_bfloat16(1.0F).bits == 0x3F80 && to_float(BFloat16{0x3F80}) == 1.0F);

}  // namespace

TEST_CASE("every f16 pattern widens to its value and narrows back") {
  std::vector<std::uint32_t> wrong;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float wide = to_float(Half{bits});
    const bool special = (bits & 0x7C00) == 0x7C00;
    const bool nan = special && (bits & 0x3FF) != 0;
    bool right = std::signbit(wide) == ((bits & 0x8000) != 0);
    if (nan)
      right = right && std::isnan(wide) && to_half(wide).bits == (bits | 0x200);
    else if (special)
      right = right && std::isinf(wide) && to_half(wide).bits == bits;
    else
      right = right && static_cast<double>(wide) == half_value(bits) && to_half(wide).bits == bits;
    if (!right) wrong.push_back(pattern);
  }
  CHECK(wrong == std::vector<std::uint32_t>{});
}

TEST_CASE("every bf16 pattern widens to its value and narrows back") {
  std::vector<std::uint32_t> wrong;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float wide = to_float(BFloat16{bits});
    const bool special = (bits & 0x7F80) == 0x7F80;
    const bool nan = special && (bits & 0x7F) != 0;
    bool right = std::signbit(wide) == ((bits & 0x8000) != 0);
    if (nan)
      right = right && std::isnan(wide) && to_bfloat16(wide).bits == (bits | 0x40);
    else if (special)
      right = right && std::isinf(wide) && to_bfloat16(wide).bits == bits;
    else
      right = right && static_cast<double>(wide) == bfloat16_value(bits) && to_bfloat16(wide).bits == bits;
    if (!right) wrong.push_back(pattern);
  }
  CHECK(wrong == std::vector<std::uint32_t>{});
}

TEST_CASE("narrowing rounds to nearest, ties to even, between every pair of neighbours") {
  CHECK(count_rounding_errors(0x7C00, 16, half_value, [](float v) { return to_half(v).bits; }) == 0);
  CHECK(count_rounding_errors(0x7F80, 128, bfloat16_value, [](float v) { return to_bfloat16(v).bits; }) == 0);
}

TEST_CASE("a NaN whose payload does not fit stays a NaN") {
  const float low_payload = std::bit_cast<float>(0x7F800001U);
  CHECK(to_half(low_payload).bits == 0x7E00);
  CHECK(to_bfloat16(low_payload).bits == 0x7FC0);
  CHECK(to_half(std::bit_cast<float>(0xFFFFFFFFU)).bits == 0xFFFF);
  CHECK(bits_of(to_float(Half{0x7C01})) == 0x7F802000U);
}
