// Philox against its published vectors, and the distributions built on it.
#include "tensor/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support_catch.h"

using mlgc::Dtype;
using mlgc::PhiloxCounter;
using mlgc::PhiloxStream;
using mlgc::Tensor;

static_assert(mlgc::philox4x32_10({0, 0, 0, 0}, {0, 0}) ==
              PhiloxCounter{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});

TEST_CASE("philox gives the known answers of its authors") {
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  CHECK(mlgc::philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        PhiloxCounter{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  CHECK(mlgc::philox4x32_10({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}) ==
        PhiloxCounter{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("a stream is the words of consecutive blocks") {
  PhiloxStream stream(0);
  for (const std::uint32_t word : mlgc::philox4x32_10({0, 0, 0, 0}, {0, 0})) CHECK(stream.next_u32() == word);
  const PhiloxCounter second = mlgc::philox4x32_10({1, 0, 0, 0}, {0, 0});
  CHECK(stream.next_u64() == (std::uint64_t{second[1]} << 32 | second[0]));
  PhiloxStream high_key(std::uint64_t{7} << 32);
  CHECK(high_key.next_u32() == mlgc::philox4x32_10({0, 0, 0, 0}, {0, 7})[0]);
}

TEST_CASE("uniform numbers reach 0 and stay below 1") {
  CHECK(mlgc::uniform_f32(0) == 0.0F);
  CHECK(mlgc::uniform_f32(0xFFFFFFFF) == 1.0F - 0x1p-24F);
  CHECK(mlgc::uniform_f64(0) == 0.0);
  CHECK(mlgc::uniform_f64(~std::uint64_t{0}) == 1.0 - 0x1p-53);
}

TEST_CASE("the transform to normal numbers agrees with the C library") {
  PhiloxStream stream(3);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double u = i == 0 ? 1 - 0x1p-53 : mlgc::uniform_f64(stream.next_u64());
    const double v = i < 16 ? i / 16.0 : mlgc::uniform_f64(stream.next_u64());
    const std::array<double, 2> pair = mlgc::box_muller(u, v);
    const double radius = std::sqrt(-2 * std::log1p(-u));
    worst = std::max(worst, std::abs(pair[0] - radius * std::cos(2 * M_PI * v)));
    worst = std::max(worst, std::abs(pair[1] - radius * std::sin(2 * M_PI * v)));
  }
  CHECK(worst < 2e-14);
}

TEST_CASE("integers are in range, the ends included") {
  PhiloxStream stream(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(stream.next_int(-2, 3) + 2)];
  for (const int count : counts) CHECK((count > 850 && count < 1150));
  CHECK(stream.next_int(5, 5) == 5);
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  bool negative = false;
  for (int i = 0; i < 64; ++i) negative = negative || stream.next_int(kMin, kMax) < 0;
  CHECK(negative);
  CHECK_THROWS_AS(stream.next_int(1, 0), mlgc::InternalError);
}

TEST_CASE("filling is a function of the seed") {
  Tensor a = Tensor::zeros(Dtype::F32, {1000});
  Tensor b = a;
  Tensor c = a;
  fill_random(a, 1);
  fill_random(b, 1);
  fill_random(c, 2);
  CHECK(a == b);
  CHECK_FALSE(a == c);
  double sum = 0;
  double squares = 0;
  for (const float value : a.data<float>()) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  CHECK(std::abs(sum / 1000) < 0.1);
  CHECK(std::abs(squares / 1000 - 1) < 0.15);
  // Pinned, so that a change of the stream is seen: these bits are what other platforms must give.
  CHECK(a.get_double(0) == -0x1.05c318p-1);
  CHECK(a.get_double(1) == -0x1.079322p+1);
}

TEST_CASE("every dtype can be filled") {
  for (std::size_t d = 0; d < mlgc::kRealDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    Tensor tensor = Tensor::zeros(dtype, {4, 50});
    fill_random(tensor, 9, {1, 4});
    Tensor empty = Tensor::zeros(dtype, {0});
    fill_random(empty, 9);
    std::int64_t low = tensor.get_int(0);
    std::int64_t high = low;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      low = std::min(low, tensor.get_int(i));
      high = std::max(high, tensor.get_int(i));
    }
    if (mlgc::is_integer(dtype)) {
      CHECK(low == 1);
      CHECK(high == 4);
    } else {
      CHECK(low < high);
    }
  }
}
