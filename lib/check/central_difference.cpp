// See central_difference.h.
#include "check/central_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tensor/compare.h"
#include "tensor/random.h"

namespace mlgc {
namespace {

constexpr double kFirstStep = 0x1p-6;
constexpr double kStepRatio = 4;
constexpr int kSteps = 10;
// Further steps would not tell more: a wrong gradient misses by more than this.
constexpr double kGoodEnough = 1e-8;
// A difference known less well than this is not evidence.
constexpr double kTooRough = 1e-3;
constexpr int kParts = 6;
constexpr int kDirections = 3;

const ToleranceException& tolerance() {
  static const ToleranceException* const row = find_exception(kToleranceExceptions, "central differences");
  return *row;
}

double rounding() { return tolerance().ulp * std::numeric_limits<double>::epsilon(); }

double signed_unit(PhiloxStream& stream) {
  const double size = 0.5 + uniform_f64(stream.next_u64());
  return stream.next_int(0, 1) == 0 ? size : -size;
}

using Tensors = std::vector<Tensor>;

std::int64_t elements(const Tensors& tensors) {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors) count += tensor.size();
  return count;
}

// How far an element that is 0 moves: as far as the others do on average.
double step_of_zero(const Tensor& tensor) {
  double sum = 0, count = 0;
  for (const double x : tensor.data<double>()) {
    if (x == 0 || !std::isfinite(x)) continue;
    sum += std::abs(x);
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

// Part 0 moves all elements, part 1 those that are not 0, and each further part an eighth of what the one before did.
Tensors direction(const Tensors& at, std::uint64_t seed, int part) {
  PhiloxStream stream(seed);
  std::int64_t odds = 1;
  for (int i = 1; i < part; ++i) odds *= 8;
  Tensors moved;
  for (const Tensor& x : at) {
    Tensor v = Tensor::zeros(Dtype::F64, x.shape());
    const double zero = step_of_zero(x);
    const std::span<const double> from = x.data<double>();
    const std::span<double> to = v.mutable_data<double>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double unit = signed_unit(stream);
      const bool chosen = part < 2 || stream.next_int(0, odds - 1) == 0;
      if (!chosen || !std::isfinite(from[i]) || (part > 0 && from[i] == 0)) continue;
      to[i] = unit * (from[i] == 0 ? zero : std::abs(from[i]));
    }
    moved.push_back(std::move(v));
  }
  return moved;
}

// Whether an element is not 0.
bool any(const Tensors& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& v) {
    const auto data = v.data<double>();
    return std::any_of(data.begin(), data.end(), [](double x) { return x != 0; });
  });
}

struct Estimate {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
  double noise = 0;  // the part of the error that rounding makes
  [[nodiscard]] bool found() const { return std::isfinite(error); }
};

class Slope {
 public:
  Slope(const DifferencePoint& point, const Tensors& along) : point_(point), along_(along) {}

  // `good_enough` is absolute.
  Estimate central(double first_step, double good_enough) {
    return sweep(first_step, kStepRatio * kStepRatio, good_enough,
                 [this](double h) { return quotient(at(h), at(-h), 2 * h); });
  }
  // Whether every result is finite at the point itself.
  bool finite_here() {
    const std::optional<Tensors>& here = value_here();
    return here && std::all_of(here->begin(), here->end(), [](const Tensor& result) {
             const auto data = result.data<double>();
             return std::all_of(data.begin(), data.end(), [](double x) { return std::isfinite(x); });
           });
  }
  // To one side; `sign` is 1 or -1.
  Estimate one_sided(double sign) {
    const std::optional<Tensors>& here = value_here();
    return sweep(kFirstStep, kStepRatio, 0, [&](double h) { return quotient(at(sign * h), here, sign * h); });
  }

 private:
  struct Quotient {
    double value, noise;
  };

  std::optional<Tensors> at(double h) {
    Tensors moved = point_.at;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const std::span<double> x = moved[i].mutable_data<double>();
      const std::span<const double> v = along_[i].data<double>();
      for (std::size_t k = 0; k < x.size(); ++k)
        if (v[k] != 0) x[k] += h * v[k];
    }
    return point_.f(moved);
  }
  const std::optional<Tensors>& value_here() {
    if (!here_) here_ = point_.f(point_.at);
    return *here_;
  }

  // Differences are taken element by element, before anything is summed. Elements without a weight do not count, and
  // those that are the same infinity on both sides do not change.
  std::optional<Quotient> quotient(const std::optional<Tensors>& a, const std::optional<Tensors>& b,
                                   double step) const {
    if (!a || !b) return std::nullopt;
    double sum = 0, magnitude = 0;
    for (std::size_t i = 0; i < point_.weights.size(); ++i) {
      if ((*a)[i].shape() != point_.weights[i].shape() || (*b)[i].shape() != point_.weights[i].shape())
        return std::nullopt;
      const auto fa = (*a)[i].data<double>(), fb = (*b)[i].data<double>(), w = point_.weights[i].data<double>();
      for (std::size_t k = 0; k < w.size(); ++k) {
        if (w[k] == 0) continue;
        if (fa[k] == fb[k]) {
          if (std::isfinite(fa[k])) magnitude += std::abs(w[k] * fa[k]);
          continue;
        }
        if (!std::isfinite(fa[k]) || !std::isfinite(fb[k])) return std::nullopt;
        sum += w[k] * (fa[k] - fb[k]);
        magnitude += std::abs(w[k]) * std::max(std::abs(fa[k]), std::abs(fb[k]));
      }
    }
    return Quotient{sum / step, rounding() * magnitude / std::abs(step)};
  }

  // The best extrapolation to the step 0, of quotients whose error shrinks by `gain` from step to step.
  template <class Function>
  static Estimate sweep(double first_step, double gain, double good_enough, const Function& quotient_at) {
    Estimate best;
    std::vector<double> quotients, extrapolated;
    double h = first_step;
    for (int k = 0; k < kSteps; ++k, h /= kStepRatio) {
      const std::optional<Quotient> now = quotient_at(h);
      if (!now) {
        quotients.clear();
        extrapolated.clear();
        continue;
      }
      quotients.push_back(now->value);
      const std::size_t n = quotients.size();
      if (n < 2) continue;
      const double change = std::abs(quotients[n - 1] - quotients[n - 2]);
      extrapolated.push_back((gain * quotients[n - 1] - quotients[n - 2]) / (gain - 1));
      if (n < 3) continue;
      const double error = std::max(std::abs(extrapolated[n - 2] - extrapolated[n - 3]), now->noise);
      if (error < best.error) best = {extrapolated[n - 2], error, now->noise};
      const bool smooth = change <= 2 * std::abs(quotients[n - 2] - quotients[n - 3]) / gain + now->noise;
      if (smooth && best.error <= std::max(good_enough, now->noise)) break;
    }
    return best;
  }

  const DifferencePoint& point_;
  const Tensors& along_;
  std::optional<std::optional<Tensors>> here_;
};

struct Computed {
  double value = 0, norm = 0, magnitude = 0;
};

Computed product(std::span<const Tensor> gradient, const Tensors& along) {
  Computed out;
  double squares = 0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const auto d = gradient[i].data<double>(), v = along[i].data<double>();
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (v[k] == 0) continue;
      const double term = d[k] * v[k];
      out.value += term;
      out.magnitude += std::abs(term);
      squares += term * term;
    }
  }
  out.norm = std::sqrt(squares);
  return out;
}

// Whether f has a corner here: its slopes to both sides are known, and differ.
bool has_corner(Slope& slope) {
  const Estimate right = slope.one_sided(1), left = slope.one_sided(-1);
  if (!right.found() || !left.found()) return right.found() != left.found();
  return std::abs(right.value - left.value) > tolerance().eager_factor * (right.error + left.error);
}

SlopeCheck check_along(const DifferencePoint& point, std::span<const Tensor> gradient, const Tensors& along,
                       double first_step) {
  SlopeCheck check;
  const Computed computed = product(gradient, along);
  Slope slope(point, along);
  const double norm = std::isfinite(computed.norm) ? computed.norm : 0;
  const Estimate estimate = slope.central(first_step, kGoodEnough * norm);
  check.computed = computed.value;
  check.difference = estimate.value;
  check.error = estimate.error;
  check.scale = std::max(norm, std::abs(estimate.value));
  if (!estimate.found() || (!std::isfinite(computed.value) && !slope.finite_here())) return check;
  const bool rough = estimate.error > kTooRough * check.scale && estimate.error > 2 * estimate.noise;
  if (rough) return check;
  const double allowed = tolerance().eager_factor * estimate.error + rounding() * computed.magnitude;
  if (std::abs(computed.value - estimate.value) <= allowed)
    check.verdict = SlopeVerdict::Agrees;
  else if (!has_corner(slope))
    check.verdict = SlopeVerdict::Wrong;
  return check;
}

}  // namespace

double SlopeCheck::relative() const {
  const double off = std::abs(computed - difference);
  if (off == 0) return 0;
  return scale > 0 ? off / scale : std::numeric_limits<double>::infinity();
}

SlopeCheck check_slope(const DifferencePoint& point, std::span<const Tensor> gradient, std::uint64_t seed) {
  const std::int64_t count = elements(point.at);
  SlopeCheck first;
  if (elements(point.weights) > 0 && !any(point.weights)) return first;  // no result is finite
  for (int part = 0; part < kParts; ++part) {
    Tensors along = direction(point.at, seed + static_cast<std::uint64_t>(part), part);
    if (!any(along)) {
      // Nothing moves: there are no elements, or this part has none; smaller ones have none either.
      if (count == 0) first.verdict = SlopeVerdict::Agrees;
      if (part == 0 || part > 1) break;
      continue;
    }
    SlopeCheck check = check_along(point, gradient, along, kFirstStep);
    check.part = part > 0;
    if (part == 0) first = check;
    if (check.verdict == SlopeVerdict::Agrees) return check;
    if (check.verdict == SlopeVerdict::NotDifferentiable) continue;
    // Another direction, and smaller steps, must say so too.
    for (int again = 1; again < kDirections; ++again) {
      along = direction(point.at, seed + static_cast<std::uint64_t>(100 * again + part), part);
      if (!any(along)) continue;
      const SlopeCheck other = check_along(point, gradient, along, kFirstStep / (8 * again));
      if (other.verdict == SlopeVerdict::Wrong) continue;
      check = other;
      check.part = part > 0;
      break;
    }
    if (check.verdict == SlopeVerdict::NotDifferentiable) continue;
    return check;
  }
  return first;
}

std::string slope_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

Tensor draw_cotangent(const Tensor& result, std::uint64_t seed) {
  Tensor tensor = Tensor::zeros(Dtype::F64, result.shape());
  PhiloxStream stream(seed);
  const std::span<double> drawn = tensor.mutable_data<double>();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double unit = signed_unit(stream);
    if (std::isfinite(result.get_double(static_cast<std::int64_t>(i)))) drawn[i] = unit;
  }
  return tensor;
}

}  // namespace mlgc
