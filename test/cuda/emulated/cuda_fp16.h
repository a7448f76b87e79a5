// f16 on the host, for tests (cuda_runtime.h).
#pragma once

#include <math.h>
#include <stdint.h>

struct __half {
  uint16_t bits;
};
inline __half __ushort_as_half(uint16_t bits) { return {bits}; }
inline uint16_t __half_as_ushort(__half value) { return value.bits; }
inline float __half2float(__half value) {
  const int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  const float size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                     : exponent == 0 ? ldexpf(static_cast<float>(fraction), -24)
                                     : ldexpf(static_cast<float>(fraction + 1024), exponent - 25);
  return (value.bits >> 15) != 0 ? -size : size;
}
// To nearest, ties to even.
inline __half __float2half_rn(float value) {
  const auto sign = static_cast<uint16_t>(signbit(value) ? 0x8000 : 0);
  const float size = fabsf(value);
  if (value != value) return {0x7fff};
  if (size == 0) return {sign};  // of which frexpf() says the exponent 0
  if (size >= 65520.0f) return {static_cast<uint16_t>(sign | 0x7c00)};
  int exponent = 0;
  (void)frexpf(size, &exponent);                               // size = f * 2^exponent, 1/2 <= f < 1
  const int unit = exponent - 11 < -24 ? -24 : exponent - 11;  // of the last place
  const auto places = static_cast<uint32_t>(nearbyintf(ldexpf(size, -unit)));
  // Of a subnormal the places are the bits; a carry out of the places goes to the exponent by itself.
  return {static_cast<uint16_t>(sign | (places + (static_cast<uint32_t>(unit + 24) << 10)))};
}
struct __half2 {
  __half x, y;
};
inline __half2 __floats2half2_rn(float x, float y) { return {__float2half_rn(x), __float2half_rn(y)}; }
