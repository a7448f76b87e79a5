// Random numbers that are a pure function of a key and a counter: Philox4x32-10 as published (Salmon, Moraes, Dror,
// Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011). The same seed gives the same bits on every platform, also
// for normal numbers: their logarithm, sine and cosine are computed here from IEEE operations, not by the C library.
#pragma once

#include <array>
#include <cstdint>

#include "tensor/tensor.h"

namespace mlgc {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// The block of 128 random bits at `counter` under `key`.
[[nodiscard]] constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

// [0, 1) in steps of 2^-24, and of 2^-53: every result is exact.
[[nodiscard]] constexpr float uniform_f32(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }
[[nodiscard]] constexpr double uniform_f64(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Two independent normal numbers (mean 0, variance 1) from two uniform ones by the Box-Muller transform:
// sqrt(-2 ln(1 - u)) times cosine and sine of 2 pi v. Precondition: both in [0, 1).
[[nodiscard]] std::array<double, 2> box_muller(double u, double v);

// The blocks at counters 0, 1, 2, … (in the counter's low 64 bits) under a 64-bit seed as the key, word by word.
class PhiloxStream {
 public:
  explicit PhiloxStream(std::uint64_t seed)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  [[nodiscard]] std::uint32_t next_u32();
  [[nodiscard]] std::uint64_t next_u64();  // the first word is the low half
  [[nodiscard]] double next_normal();
  // Uniform over low…high, both included, without bias. Precondition: low <= high.
  [[nodiscard]] std::int64_t next_int(std::int64_t low, std::int64_t high);

 private:
  PhiloxKey key_;
  std::uint64_t block_ = 0;
  PhiloxCounter words_{};
  std::size_t used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

struct IntRange {
  std::int64_t low = 0;
  std::int64_t high = 9;  // included
};

// Floats: normal, mean 0, variance 1, computed in f64 and rounded. Integers: uniform in `range`, which must fit the
// dtype (else they wrap). Booleans: coin flips. Complex numbers: both parts as floats.
void fill_random(Tensor& tensor, std::uint64_t seed, IntRange range = {});

}  // namespace mlgc
