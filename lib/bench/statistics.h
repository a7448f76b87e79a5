// What samples of times say: medians, ratios with an interval, and when compiling has paid off.
//
// Guarantees
//   - No assumption about how times are distributed: intervals are between order statistics, and their coverage is the
//     exact binomial one. Times have a long tail on one side, which means and deviations do not survive.
//   - Disturbed samples (another process took a core while they ran) are left out as long as enough others are left,
//   and
//     counted in any case.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mlgc::bench {

// Seconds of one call, the mean over a block of calls.
struct Sample {
  double seconds = 0;
  bool disturbed = false;
};

// Fewer undisturbed samples than this say less than all samples do.
inline constexpr std::size_t kLeastUndisturbed = 5;

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Precondition: not empty.
[[nodiscard]] double median(std::vector<double> values);

struct Interval {
  double low = 0, high = 0;
  double coverage = 0;  // the probability that it holds the median of what was sampled from
};
// The narrowest interval of order statistics, as far from both ends, that holds the median with at least `wanted`;
// where there are too few values for that, from the least to the greatest. Precondition: not empty.
[[nodiscard]] Interval median_interval(std::vector<double> values, double wanted = 0.95);

struct Summary {
  double median = 0, minimum = 0;
  std::size_t used = 0;
  std::size_t disturbed = 0;    // of all
  bool disturbed_used = false;  // too few others were left
};
// Precondition: not empty.
[[nodiscard]] Summary summarize(std::span<const Sample> samples);

struct Ratio {
  double median = 0;  // of the ratios of each round
  Interval interval;
  std::size_t rounds = 0;
};
// How many times as long the first takes as the second. Sample i of both is of round i, so what slows a whole round
// down cancels; rounds that only one has, and those in which either was disturbed (unless too few are left), are left
// out. Nothing when no round has both.
[[nodiscard]] std::optional<Ratio> ratio(std::span<const Sample> first, std::span<const Sample> second);

// Seconds before the first call, and of each call.
struct Cost {
  double prepare = 0, call = 0;
};
enum class Payoff : std::uint8_t {
  Always,     // from the first call on
  FromCall,   // from call number `calls` on
  UntilCall,  // for the first `calls` calls
  Never,
};
struct BreakEven {
  Payoff payoff = Payoff::Never;
  std::int64_t calls = 0;
  double seconds = 0;  // that `theirs` takes for so many calls
};
// For which numbers of calls `ours` has taken no longer than `theirs`.
[[nodiscard]] BreakEven break_even(const Cost& ours, const Cost& theirs);

}  // namespace mlgc::bench
