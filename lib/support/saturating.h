// Arithmetic on counts that may be larger than an int64 holds: INT64_MAX then stands for all that are. Operands are not
// negative.
#pragma once

#include <cstdint>

namespace mlgc {

[[nodiscard]] constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
[[nodiscard]] constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
// ⌈a / b⌉. Precondition: b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace mlgc
