// Statistics of samples with known answers.
#include "bench/statistics.h"

#include "support_catch.h"

namespace mlgc::bench {
namespace {

std::vector<Sample> samples(const std::vector<double>& seconds, const std::vector<std::size_t>& disturbed = {}) {
  std::vector<Sample> all;
  for (const double value : seconds) all.push_back({value, false});
  for (const std::size_t i : disturbed) all[i].disturbed = true;
  return all;
}

// n, ..., 2, 1.
std::vector<double> counted(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = n; i > 0; --i) values.push_back(static_cast<double>(i));
  return values;
}

}  // namespace

TEST_CASE("the median of odd and even numbers of values") {
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({9, 1, 5, 2}) == 3.5);
}

TEST_CASE("intervals of the median are order statistics with the binomial coverage") {
  // Of n values the interval from the least to the greatest misses the median with 2 / 2^n.
  const Interval five = median_interval({5, 1, 4, 2, 3});
  CHECK(five.low == 1);
  CHECK(five.high == 5);
  CHECK(five.coverage == Approx(1 - 2.0 / 32));
  const Interval six = median_interval(counted(6));
  CHECK(six.low == 1);
  CHECK(six.coverage == Approx(1 - 2.0 / 64));
  // The tables of the sign test: 2nd to 8th of 9, 6th to 15th of 20, 40th to 61st of 100.
  const Interval nine = median_interval(counted(9));
  CHECK(nine.low == 2);
  CHECK(nine.high == 8);
  CHECK(nine.coverage == Approx(1 - 20.0 / 512));
  const Interval twenty = median_interval(counted(20));
  CHECK(twenty.low == 6);
  CHECK(twenty.high == 15);
  CHECK(twenty.coverage == Approx(0.9586).margin(0.0001));
  const Interval hundred = median_interval(counted(100));
  CHECK(hundred.low == 40);
  CHECK(hundred.high == 61);
  CHECK(median_interval({7}).coverage == 0);
  CHECK(median_interval(counted(5000)).coverage == Approx(0.95).margin(0.005));
}

TEST_CASE("disturbed samples are dropped and counted, while enough others are left") {
  const Summary clean = summarize(samples({1, 2, 3, 4, 5, 100, 200}, {5, 6}));
  CHECK(clean.median == 3);
  CHECK(clean.minimum == 1);
  CHECK(clean.used == 5);
  CHECK(clean.disturbed == 2);
  CHECK_FALSE(clean.disturbed_used);
  const Summary few = summarize(samples({1, 2, 3, 4, 100, 200, 300}, {4, 5, 6}));
  CHECK(few.median == 4);
  CHECK(few.used == 7);
  CHECK(few.disturbed == 3);
  CHECK(few.disturbed_used);
}

TEST_CASE("ratios are taken round by round, so a slow round cancels") {
  const auto ours = samples({1, 1, 10, 1, 1, 1, 1});
  const auto theirs = samples({2, 2, 20, 2, 2, 2, 2});
  const auto found = ratio(theirs, ours);
  REQUIRE(found);
  CHECK(found->median == 2);
  CHECK(found->interval.low == 2);
  CHECK(found->interval.high == 2);
  CHECK(found->rounds == 7);
}

TEST_CASE("a round in which either was disturbed does not count, nor one that only one has") {
  const auto ours = samples({1, 1, 1, 1, 1, 1, 1, 1, 1}, {0});
  const auto theirs = samples({50, 60, 3, 3, 3, 3, 3}, {1});
  const auto found = ratio(theirs, ours);
  REQUIRE(found);
  CHECK(found->rounds == 5);
  CHECK(found->interval.high == 3);
  CHECK_FALSE(ratio(samples({1, 2}), {}).has_value());
  const auto few = ratio(samples({4, 6, 8}, {0, 1, 2}), samples({2, 2, 2}));
  REQUIRE(few);
  CHECK(few->median == 3);
  CHECK(few->interval.coverage == Approx(0.75));
}

TEST_CASE("when compiling has paid off") {
  const auto check = [](Cost ours, Cost theirs, Payoff payoff, std::int64_t calls) {
    const BreakEven found = break_even(ours, theirs);
    CHECK(found.payoff == payoff);
    CHECK(found.calls == calls);
  };
  check({1.0, 0.001}, {0.0, 0.003}, Payoff::FromCall, 500);
  check({1.0, 0.001}, {0.0, 0.004}, Payoff::FromCall, 334);
  check({1.0, 0.001}, {0.0, 0.001}, Payoff::Never, 0);
  check({1.0, 0.002}, {0.5, 0.001}, Payoff::Never, 0);
  check({1.0, 0.001}, {9.0, 0.002}, Payoff::Always, 0);
  check({1.0, 0.001}, {1.0, 0.001}, Payoff::Always, 0);
  check({1.0, 0.003}, {9.0, 0.001}, Payoff::UntilCall, 4000);
}

}  // namespace mlgc::bench
