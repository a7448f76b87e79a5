// bf16 on the host, for tests: the upper half of f32 (cuda_runtime.h).
#pragma once

#include <stdint.h>
#include <string.h>

struct __nv_bfloat16 {
  uint16_t bits;
};
inline __nv_bfloat16 __ushort_as_bfloat16(uint16_t bits) { return {bits}; }
inline uint16_t __bfloat16_as_ushort(__nv_bfloat16 value) { return value.bits; }
inline float __bfloat162float(__nv_bfloat16 value) {
  const uint32_t wide = static_cast<uint32_t>(value.bits) << 16;
  float out;
  memcpy(&out, &wide, sizeof out);
  return out;
}
// To nearest, ties to even.
inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  if (value != value) return {0x7fff};
  return {static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16)};
}
struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}
