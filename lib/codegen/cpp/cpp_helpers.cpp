// What a scalar C++ file defines for itself beside its functions.
#include "codegen/cpp/cpp_leaves.h"

namespace mlgc::codegen {
namespace {

struct Helper {
  std::string_view name;
  std::string_view text;
};

// A helper stands behind those that it calls.
constexpr Helper kHelpers[] = {
    {"mlgc_add", R"(// Integer arithmetic wraps around.
static inline int64_t mlgc_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
)"},
    {"mlgc_sub", R"(static inline int64_t mlgc_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
)"},
    {"mlgc_mul", R"(static inline int64_t mlgc_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
)"},
    {"mlgc_neg",
     R"(static inline int64_t mlgc_neg(int64_t a) { return static_cast<int64_t>(0 - static_cast<uint64_t>(a)); }
)"},
    {"mlgc_abs", R"(static inline int64_t mlgc_abs(int64_t a) {
  return a < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a;
}
)"},
    {"mlgc_rem", R"(static inline int64_t mlgc_rem(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
)"},
    {"mlgc_floor_div", R"(// Division rounds down.
static inline int64_t mlgc_floor_div(int64_t a, int64_t b) {
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}
static inline double mlgc_floor_div(double a, double b) {
  if (b == 0) return a / b;
  const double m = std::fmod(a, b);
  double q = (a - m) / b;
  if (m != 0 && ((b < 0) != (m < 0))) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  const double f = std::floor(q);
  return q - f > 0.5 ? f + 1 : f;
}
)"},
    {"mlgc_mod", R"(// A remainder has the sign of the divisor.
static inline int64_t mlgc_mod(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
static inline double mlgc_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
)"},
    {"mlgc_pow", R"(static inline int64_t mlgc_pow(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1, square *= square)
    if (e & 1) result *= square;
  return static_cast<int64_t>(result);
}
)"},
    {"mlgc_philox", R"(// Philox 4x32 with ten rounds: 64 bits that depend on the key and the counter only.
static inline int64_t mlgc_philox(int64_t key, int64_t counter) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(static_cast<uint64_t>(key) >> 32);
  uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(static_cast<uint64_t>(counter) >> 32);
  uint32_t c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c0, p1 = uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return static_cast<int64_t>(uint64_t{c1} << 32 | c0);
}
)"},
    {"mlgc_to_int64", R"(// What does not fit becomes the smallest integer.
static inline int64_t mlgc_to_int64(double v) {
  return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? static_cast<int64_t>(v) : INT64_MIN;
}
)"},
    {"mlgc_to_int32", R"(// What does not fit becomes the smallest integer.
static inline int32_t mlgc_to_int32(double v) {
  return v > -2147483649.0 && v < 2147483648.0 ? static_cast<int32_t>(v) : INT32_MIN;
}
)"},
    {"mlgc_from_half", R"(static inline float mlgc_from_half(uint16_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, exponent = (h >> 10) & 31u, mantissa = h & 1023u;
  uint32_t bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
  if (exponent == 31) bits = sign | 0x7f800000u | (mantissa << 13);
  float value;
  if (exponent == 0) {
    value = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    return sign != 0 ? -value : value;
  }
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
)"},
    {"mlgc_to_half", R"(static inline uint16_t mlgc_to_half(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const float a = std::fabs(value);
  if (a != a) return static_cast<uint16_t>(sign | 0x7e00u);
  if (a >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00u);
  if (a < 6.103515625e-5f) return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(a * 16777216.0f)));
  bits &= 0x7fffffffu;
  bits += 0xfffu + ((bits >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((bits >> 13) - (112u << 10)));
}
)"},
    {"mlgc_from_bfloat", R"(static inline float mlgc_from_bfloat(uint16_t h) {
  const uint32_t bits = static_cast<uint32_t>(h) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
)"},
    {"mlgc_to_bfloat", R"(static inline uint16_t mlgc_to_bfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (value != value) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
)"},
};

}  // namespace

std::string cpp_helpers(std::string_view source) {
  std::string out;
  for (const Helper& helper : kHelpers)
    if (source.find(std::string(helper.name) + "(") != std::string_view::npos) out += helper.text;
  return out;
}

}  // namespace mlgc::codegen
