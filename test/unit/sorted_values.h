// What sorting is tested on.
#pragma once

#include <cmath>
#include <limits>

#include "tensor/tensor.h"

namespace mlgc::test {

// Few values, so that many are equal.
inline Tensor with_ties(Dtype dtype, const Shape& shape, std::uint64_t seed) {
  Tensor out = Tensor::zeros(dtype, shape);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::int64_t i = 0; i < out.size(); ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto drawn = static_cast<std::int64_t>((state >> 33) % 7);
    if (is_float(dtype))
      out.set_double(i, drawn == 6   ? std::numeric_limits<double>::quiet_NaN()
                        : drawn == 5 ? -0.0
                                     : 0.5 * static_cast<double>(drawn));
    else
      out.set_int(i, drawn);
  }
  return out;
}

// Of all sizes and signs, the largest and the least too; infinities, subnormals, zeros of both signs, NaN.
inline Tensor of_all_sizes(Dtype dtype, const Shape& shape, std::uint64_t seed) {
  Tensor out = Tensor::zeros(dtype, shape);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  const auto draw = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 20;
  };
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const auto bits = (draw() << 32) ^ draw();
    if (!is_float(dtype)) {
      out.set_int(i, static_cast<std::int64_t>(bits) >> (draw() % 64));
      continue;
    }
    constexpr double kEdges[] = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    const double real =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), static_cast<int>(draw() % 250) - 200);
    out.set_double(i, draw() % 8 == 0 ? kEdges[draw() % 5] : real);
  }
  return out;
}

}  // namespace mlgc::test
