// agrees() and its renderers.
#include "tensor/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "tensor/float16.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Bits of precision (with the implicit one) and the exponent of the smallest normal number.
struct FloatFormat {
  int precision;
  int min_exponent;
};

FloatFormat float_format(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16: return {11, -14};
    case Dtype::BF16: return {8, -126};
    case Dtype::F32: return {24, -126};
    case Dtype::F64: return {53, -1022};
    default: throw InternalError("float_format of " + std::string(dtype_info(dtype).name));
  }
}

// The distance between neighbours of a dtype at a finite magnitude; never below its smallest subnormal number.
double ulp_at(FloatFormat format, double magnitude) {
  const int exponent = magnitude == 0 ? format.min_exponent : std::max(std::ilogb(magnitude), format.min_exponent);
  return std::ldexp(1.0, exponent - format.precision + 1);
}

bool same_special(double a, double b) { return (std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b); }

ErrorStatistics statistics(std::vector<double>& errors) {
  ErrorStatistics result;
  if (errors.empty()) return result;
  double sum = 0;
  for (const double error : errors) {
    result.max = std::max(result.max, error);
    sum += error;
  }
  result.mean = sum / static_cast<double>(errors.size());
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>((errors.size() - 1) / 2);
  std::ranges::nth_element(errors, middle);
  result.median = *middle;
  return result;
}

Shape position_of(std::int64_t element, const Shape& shape) {
  Shape position(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) position[d] = element % shape[d];
  return position;
}

std::string digits(double value, int count) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", count, value);
  return text.data();
}

// Three digits of an error suffice.
std::string number(double error) { return digits(error, 3); }

// A zero of the other sign is further from agreeing than equal elements, and nearer than any other difference.
constexpr double kOtherZero = std::numeric_limits<double>::denorm_min();

// Remembers the element furthest from agreeing: mismatches of NaN and infinity count as infinitely far, the first of
// equals stays.
class Worst {
 public:
  explicit Worst(Difference& difference) : difference_(difference) {}
  void offer(std::int64_t element, double badness, double actual, double expected) {
    if (difference_.worst >= 0 && !(badness > badness_)) return;
    badness_ = badness;
    difference_.worst = element;
    difference_.worst_actual = actual;
    difference_.worst_expected = expected;
  }

 private:
  Difference& difference_;
  double badness_ = -1;
};

struct Limits {
  double ulp = kAllowedUlp;
  double eager_factor = kAllowedEagerFactor;
};

void compare_floats(const Tensor& actual, const Tensor& reference, const Tensor* eager, const CompareOptions& options,
                    const Limits& limits, Difference& out) {
  const FloatFormat format = float_format(actual.dtype());
  const Tensor actual_f64 = actual.to_f64();
  const Tensor eager_f64 = eager != nullptr ? eager->to_f64() : Tensor::zeros(Dtype::F64, {0});
  const std::span<const double> x = actual_f64.data<double>();
  const std::span<const double> j = reference.data<double>();
  const std::span<const double> e = eager_f64.data<double>();
  const double smallest_normal = std::ldexp(1.0, format.min_exponent);

  double eager_error = 0;
  for (std::size_t i = 0; i < j.size(); ++i) {
    if (!std::isfinite(j[i])) continue;
    if (!std::isinf(round_to(out.dtype, j[i]))) out.scale = std::max(out.scale, std::abs(j[i]));
    if (eager != nullptr && std::isfinite(e[i])) eager_error = std::max(eager_error, std::abs(e[i] - j[i]));
  }
  out.nearby = eager != nullptr && options.nearby_error > eager_error;
  if (out.nearby) eager_error = options.nearby_error;
  if (eager != nullptr) out.eager_max_error = eager_error;
  out.allowed = std::max(limits.ulp * ulp_at(format, out.scale), limits.eager_factor * eager_error);

  Worst worst(out);
  double worst_ratio = -1;
  std::vector<double> absolute;
  std::vector<double> relative;
  const double normwise_allowed = out.allowed;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    const double rounded = round_to(out.dtype, j[i]);
    const bool both_nan = std::isnan(x[i]) && std::isnan(j[i]);
    out.unequal += !(both_nan || x[i] == rounded);
    if (x[i] == 0 && rounded == 0 && std::signbit(x[i]) != std::signbit(rounded)) ++out.zero_sign_mismatches;
    if (!std::isfinite(x[i]) || !std::isfinite(rounded)) {
      // Eager overflowed on the way to a result that f64 has: being like eager, or better, is right.
      const bool excused = eager != nullptr && std::isfinite(j[i]) && same_special(x[i], e[i]);
      if (same_special(x[i], rounded) || excused) {
        worst.offer(element, 0, x[i], j[i]);
        continue;
      }
      ++(std::isnan(x[i]) || std::isnan(rounded) ? out.nan_mismatches : out.inf_mismatches);
      worst.offer(element, kInfinity, x[i], j[i]);
      continue;
    }
    const double error = std::abs(x[i] - j[i]);
    absolute.push_back(error);
    relative.push_back(error / std::max(std::abs(j[i]), smallest_normal));
    const double ulp = ulp_at(format, std::abs(j[i]));
    out.max_ulp = std::max(out.max_ulp, error / ulp);
    double allowed = normwise_allowed;
    if (options.elementwise_edge) {
      const double own = eager == nullptr ? 0 : std::isfinite(e[i]) ? std::abs(e[i] - j[i]) : kInfinity;
      allowed = std::max(limits.ulp * ulp, limits.eager_factor * own);
    }
    out.exceeding += error > allowed;
    const double ratio = allowed > 0 ? error / allowed : (error > 0 ? kInfinity : 0);
    if (options.elementwise_edge && ratio > worst_ratio) {
      worst_ratio = ratio;
      out.allowed = allowed;
    }
    const bool other_zero =
        options.zero_signs && x[i] == 0 && rounded == 0 && std::signbit(x[i]) != std::signbit(rounded);
    worst.offer(element, std::max(ratio, other_zero ? kOtherZero : 0), x[i], j[i]);
  }
  out.absolute = statistics(absolute);
  out.relative = statistics(relative);
}

void compare_integers(const Tensor& actual, const Tensor& reference, Difference& out) {
  Worst worst(out);
  std::vector<double> absolute;
  std::vector<double> relative;
  visit_dtype(actual.dtype(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> x = actual.data<T>();
      const std::span<const T> j = reference.data<T>();
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto a = convert_element<std::int64_t>(x[i]);
        const auto b = convert_element<std::int64_t>(j[i]);
        // In unsigned arithmetic, where the distance of two int64 always fits.
        const std::uint64_t distance = a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                             : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
        const auto error = static_cast<double>(distance);
        out.unequal += a != b;
        out.scale = std::max(out.scale, std::abs(static_cast<double>(b)));
        absolute.push_back(error);
        relative.push_back(error / std::max(std::abs(static_cast<double>(b)), 1.0));
        worst.offer(static_cast<std::int64_t>(i), error, static_cast<double>(a), static_cast<double>(b));
      }
    }
  });
  out.exceeding = out.unequal;
  out.absolute = statistics(absolute);
  out.relative = statistics(relative);
}

nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

nlohmann::ordered_json json_statistics(const ErrorStatistics& s) {
  return {{"max", json_number(s.max)}, {"mean", json_number(s.mean)}, {"median", json_number(s.median)}};
}

}  // namespace

std::string position_text(const Shape& position) {
  std::string text = "[";
  for (std::size_t i = 0; i < position.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(position[i]);
  return text + "]";
}

double ulp_at(Dtype dtype, double magnitude) { return ulp_at(float_format(dtype), magnitude); }

const ToleranceException* find_exception(std::span<const ToleranceException> rows, std::string_view subject) {
  const auto found = std::ranges::find(rows, subject, &ToleranceException::subject);
  return found == rows.end() ? nullptr : &*found;
}

Difference agrees(const Tensor& actual, const Tensor& reference, const Tensor* eager, const CompareOptions& options) {
  Difference out;
  out.dtype = actual.dtype();
  out.shape = actual.shape();
  out.elements = actual.size();
  out.elementwise = options.elementwise_edge || !is_inexact(actual.dtype());
  const Dtype wanted = reference_dtype(actual.dtype());
  if (reference.shape() != actual.shape() || reference.dtype() != wanted) {
    out.reason = "the type is " + actual.type_string() + ", expected " + to_string(actual.dtype(), reference.shape());
    if (reference.dtype() != wanted) out.reason += " (the reference is " + reference.type_string() + ")";
    return out;
  }
  if (eager != nullptr && (eager->shape() != actual.shape() || eager->dtype() != actual.dtype())) {
    out.reason = "the type is " + actual.type_string() + ", but eager's is " + eager->type_string();
    return out;
  }
  if (is_complex(actual.dtype())) {
    const Tensor eager_parts = eager != nullptr ? eager->parts() : Tensor();
    out = agrees(actual.parts(), reference.parts(), eager != nullptr ? &eager_parts : nullptr, options);
    out.dtype = actual.dtype();
    out.shape = actual.shape();
    return out;
  }
  Limits limits;
  if (const ToleranceException* exception = find_exception(options.exceptions, options.subject))
    limits = {exception->ulp, exception->eager_factor};
  if (is_float(actual.dtype()))
    compare_floats(actual, reference, eager, options, limits, out);
  else
    compare_integers(actual, reference, out);
  if (out.worst >= 0) out.worst_position = position_of(out.worst, out.shape);

  const auto complain = [&](std::int64_t count, const std::string& what) {
    if (count == 0) return;
    if (!out.reason.empty()) out.reason += ", ";
    out.reason += std::to_string(count) + (count == 1 ? " element " : " elements ") + what;
  };
  complain(out.nan_mismatches, "NaN on one side only");
  complain(out.inf_mismatches, "infinite on one side only or with the other sign");
  complain(out.exceeding, is_float(actual.dtype()) ? "with an error above what is allowed" : "not equal");
  if (options.zero_signs) complain(out.zero_sign_mismatches, "zero with the other sign");
  out.agrees = out.reason.empty();
  return out;
}

std::string render_text(const Difference& d, std::string_view name) {
  std::string text(name);
  text += d.agrees ? ": agrees" : ": does not agree: " + d.reason;
  text += "\n  type            " + to_string(d.dtype, d.shape) + ", " + std::to_string(d.elements) + " elements, " +
          std::to_string(d.unequal) + " differ from the reference\n";
  if (d.worst < 0) return text;
  const auto value = [&](double v) {
    return digits(v, is_inexact(d.dtype) && reference_dtype(d.dtype) != d.dtype ? 9 : 17);
  };
  const auto row = [&](const char* title, const ErrorStatistics& s) {
    text += title + ("max " + number(s.max)) + ", mean " + number(s.mean) + ", median " + number(s.median) + "\n";
  };
  row("  absolute error  ", d.absolute);
  row("  relative error  ", d.relative);
  if (is_inexact(d.dtype)) {
    text += "  ulp             max " + number(d.max_ulp) + "\n";
    text += "  allowed         " + number(d.allowed) + (d.elementwise ? " at the worst element" : " for every element");
    if (d.eager_max_error) text += "; eager's largest error is " + number(*d.eager_max_error);
    if (d.nearby) text += " on inputs within an ulp";
    text += "\n  mismatches      NaN " + std::to_string(d.nan_mismatches) + ", infinity " +
            std::to_string(d.inf_mismatches) + ", sign of zero " + std::to_string(d.zero_sign_mismatches) + "\n";
  }
  text += "  worst element   " + position_text(d.worst_position) + ": got " + value(d.worst_actual) + ", expected " +
          value(d.worst_expected) + "\n";
  return text;
}

std::string render_json(const Difference& d, std::string_view name) {
  nlohmann::ordered_json json{{"version", 1},
                              {"name", std::string(name)},
                              {"agrees", d.agrees},
                              {"reason", d.reason},
                              {"type", to_string(d.dtype, d.shape)},
                              {"elements", d.elements},
                              {"unequal", d.unequal},
                              {"elementwise", d.elementwise},
                              {"absolute_error", json_statistics(d.absolute)},
                              {"relative_error", json_statistics(d.relative)},
                              {"max_ulp", json_number(d.max_ulp)},
                              {"scale", json_number(d.scale)},
                              {"allowed", json_number(d.allowed)},
                              {"eager_max_error", nullptr},
                              {"nearby", d.nearby},
                              {"nan_mismatches", d.nan_mismatches},
                              {"inf_mismatches", d.inf_mismatches},
                              {"zero_sign_mismatches", d.zero_sign_mismatches},
                              {"exceeding", d.exceeding},
                              {"worst", nullptr}};
  if (d.eager_max_error) json["eager_max_error"] = json_number(*d.eager_max_error);
  if (d.worst >= 0)
    json["worst"] = {{"position", d.worst_position},
                     {"actual", json_number(d.worst_actual)},
                     {"expected", json_number(d.worst_expected)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace mlgc
