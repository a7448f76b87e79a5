// Distributions over Philox. This file is compiled without contraction to fused multiply-adds, so that its results are
// the same on every machine.
#include "tensor/random.h"

#include <cmath>

namespace mlgc {
namespace {

constexpr double kHalfPi = 1.5707963267948966;
constexpr double kLn2 = 0.6931471805599453;
constexpr double kSqrtHalf = 0.7071067811865476;

// ln x for 0 < x <= 1, to a few ulp: x = m * 2^e with m near 1, ln m = 2 artanh((m - 1) / (m + 1)) by its series, whose
// argument is below 0.172, so that the terms left out are below 2^-55 of the sum.
double natural_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double s2 = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * kLn2;
}

// Taylor series for |x| <= pi/4; the terms left out are below 2^-55.
double small_sine(double x) {
  const double x2 = x * x;
  double sum = 1;
  for (int k = 17; k >= 3; k -= 2) sum = 1 - sum * x2 / (k * (k - 1));
  return x * sum;
}

double small_cosine(double x) {
  const double x2 = x * x;
  double sum = 1;
  for (int k = 18; k >= 2; k -= 2) sum = 1 - sum * x2 / (k * (k - 1));
  return sum;
}

}  // namespace

std::array<double, 2> box_muller(double u, double v) {
  const double radius = std::sqrt(-2 * natural_log(1 - u));
  // The turn is reduced exactly to an eighth on either side of a quarter.
  const double quarters = 4 * v;
  const double nearest = std::floor(quarters + 0.5);
  const double angle = (quarters - nearest) * kHalfPi;
  double cosine = small_cosine(angle);
  double sine = small_sine(angle);
  for (int quarter = static_cast<int>(nearest); quarter > 0; --quarter) {
    const double previous = cosine;
    cosine = -sine;
    sine = previous;
  }
  return {radius * cosine, radius * sine};
}

std::uint32_t PhiloxStream::next_u32() {
  if (used_ == words_.size()) {
    words_ = philox4x32_10({static_cast<std::uint32_t>(block_), static_cast<std::uint32_t>(block_ >> 32), 0, 0}, key_);
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t PhiloxStream::next_u64() {
  const std::uint64_t low = next_u32();
  return low | (static_cast<std::uint64_t>(next_u32()) << 32);
}

double PhiloxStream::next_normal() {
  has_spare_ = !has_spare_;
  if (!has_spare_) return spare_normal_;
  const double u = uniform_f64(next_u64());
  const double v = uniform_f64(next_u64());
  const std::array<double, 2> pair = box_muller(u, v);
  spare_normal_ = pair[1];
  return pair[0];
}

std::int64_t PhiloxStream::next_int(std::int64_t low, std::int64_t high) {
  MLGC_ASSERT(low <= high, "next_int: empty range");
  const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  std::uint64_t bits = next_u64();
  if (count != 0) {  // 0 stands for 2^64, where every number is in range
    // Numbers below 2^64 mod count would make the low residues more likely.
    const std::uint64_t excess = (0 - count) % count;
    while (bits < excess) bits = next_u64();
    bits %= count;
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + bits);
}

void fill_random(Tensor& tensor, std::uint64_t seed, IntRange range) {
  if (is_complex(tensor.dtype())) {
    Tensor parts = tensor.parts();
    fill_random(parts, seed, range);
    tensor = parts.as_complex();
    return;
  }
  PhiloxStream stream(seed);
  visit_dtype(tensor.dtype(), [&]<class T>() {
    for (T& element : tensor.mutable_data<T>()) {
      if constexpr (std::is_same_v<T, bool>)
        element = (stream.next_u32() >> 31) != 0;
      else if constexpr (std::is_integral_v<T>)
        element = convert_element<T>(stream.next_int(range.low, range.high));
      else
        element = convert_element<T>(stream.next_normal());
    }
  });
}

}  // namespace mlgc
