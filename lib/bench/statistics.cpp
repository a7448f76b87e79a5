// See statistics.h.
#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/result.h"

namespace mlgc::bench {
namespace {

// P(fewer than k of n fair coins show heads).
double below(std::size_t k, std::size_t n) {
  double sum = 0;
  // Logarithms, as 0.5^n leaves the range of doubles for large n.
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  for (std::size_t i = 0; i < k; ++i)
    sum +=
        std::exp(log_factorial(n) - log_factorial(i) - log_factorial(n - i) - static_cast<double>(n) * std::log(2.0));
  return sum;
}

std::int64_t as_calls(double calls) {
  constexpr double kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 2;
  return static_cast<std::int64_t>(std::min(calls, kMost));
}

}  // namespace

double median(std::vector<double> values) {
  MLGC_ASSERT(!values.empty(), "the median of nothing");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

Interval median_interval(std::vector<double> values, double wanted) {
  MLGC_ASSERT(!values.empty(), "an interval of nothing");
  std::ranges::sort(values);
  const std::size_t n = values.size();
  // The interval from value k to value n - 1 - k misses the median when at most k values are on one side of it.
  std::size_t k = 0;
  while (2 * (k + 1) < n && 1 - 2 * below(k + 2, n) >= wanted) ++k;
  return {values[k], values[n - 1 - k], std::max(0.0, 1 - 2 * below(k + 1, n))};
}

Summary summarize(std::span<const Sample> samples) {
  Summary summary;
  std::vector<double> kept, all;
  for (const Sample& sample : samples) {
    all.push_back(sample.seconds);
    if (!sample.disturbed) kept.push_back(sample.seconds);
  }
  summary.disturbed = all.size() - kept.size();
  summary.disturbed_used = summary.disturbed > 0 && kept.size() < kLeastUndisturbed;
  const std::vector<double>& used = summary.disturbed_used ? all : kept;
  summary.median = median(used);
  summary.minimum = *std::ranges::min_element(used);
  summary.used = used.size();
  return summary;
}

std::optional<Ratio> ratio(std::span<const Sample> first, std::span<const Sample> second) {
  std::vector<double> kept, all;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (second[i].seconds <= 0) continue;
    all.push_back(first[i].seconds / second[i].seconds);
    if (!first[i].disturbed && !second[i].disturbed) kept.push_back(all.back());
  }
  const std::vector<double>& used = kept.size() < kLeastUndisturbed ? all : kept;
  if (used.empty()) return std::nullopt;
  return Ratio{median(used), median_interval(used), used.size()};
}

BreakEven break_even(const Cost& ours, const Cost& theirs) {
  const double later = ours.prepare - theirs.prepare;  // what calls have to bring in
  const double gain = theirs.call - ours.call;         // by each call
  const auto at = [&](Payoff payoff, double calls) { return BreakEven{payoff, as_calls(calls), calls * theirs.call}; };
  if (later <= 0) return gain >= 0 ? at(Payoff::Always, 0) : at(Payoff::UntilCall, std::floor(later / gain));
  return gain > 0 ? at(Payoff::FromCall, std::ceil(later / gain)) : at(Payoff::Never, 0);
}

}  // namespace mlgc::bench
