// Derivatives along random directions, from values of a function alone, and how far to trust them.
//
// A gradient d of <w, f> at x is compared with the central difference of h -> <w, f(x + h v)>. It is extrapolated over
// a sweep of step sizes (Richardson; Ridders, Adv. Eng. Software 4, 1982). What separates them from agreement is what
// the differences say about their own error: how much two successive extrapolations differ, and what rounding of f
// makes of a difference over so small a step ("central differences" in tensor/compare.h).
//
// Guarantees
//   - Directions move each element relative to its own size, so that no element changes its sign or leaves the domain
//     of a root or a logarithm; an element that is 0 moves by the size of the others.
//   - Where f has no derivative (one-sided differences disagree, or no step gives a difference that can be trusted) the
//     gradient is not blamed: smaller and smaller parts of the elements are moved instead, and if none will do, the
//     verdict is NotDifferentiable. That follows from f alone, never from the gradient; only a gradient that is not
//     finite is not blamed where f is not finite itself.
//   - What is not finite is no point of a derivative: elements of x that are infinite or NaN do not move, and a result
//     element that is so at x has the weight 0 (draw_cotangent()), whatever it is nearby.
//   - A gradient is wrong only if it misses in three directions.
//   - Same point and seed: same verdict, same numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace mlgc {

// A function of tensors, around a point. All tensors are f64.
struct DifferencePoint {
  std::vector<Tensor> at;
  // What it gives there; nothing where it has no value.
  std::function<std::optional<std::vector<Tensor>>(std::span<const Tensor>)> f;
  std::vector<Tensor> weights;  // w, of the shapes of its results
};

enum class SlopeVerdict : std::uint8_t { Agrees, Wrong, NotDifferentiable };

struct SlopeCheck {
  SlopeVerdict verdict = SlopeVerdict::NotDifferentiable;
  bool part = false;      // only a part of the elements was moved
  double computed = 0;    // <d, v>
  double difference = 0;  // the same, from values of f
  double error = 0;       // of the difference, estimated
  double scale = 0;       // what the error is relative to: the 2-norm of the terms of <d, v>, or |difference|
  [[nodiscard]] double relative() const;
};

// `gradient` has the shapes of `at`.
[[nodiscard]] SlopeCheck check_slope(const DifferencePoint& point, std::span<const Tensor> gradient,
                                     std::uint64_t seed);

// A number of a check for people: nine digits.
[[nodiscard]] std::string slope_text(double value);

// A cotangent of a result: f64, of its shape. It is ±0.5 … ±1.5 where the result is finite, so that no element hides
// another; else 0.
[[nodiscard]] Tensor draw_cotangent(const Tensor& result, std::uint64_t seed);

}  // namespace mlgc
