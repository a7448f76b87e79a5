// Measuring side by side, on candidates that say what they took.
#include "bench/measure.h"

#include "support_catch.h"

namespace mlgc::bench {
namespace {

// Takes `seconds` a call, by a clock that only it has; every `disturbed_every`-th block is disturbed.
class Fake {
 public:
  Fake(std::string name, double seconds, std::size_t disturbed_every, std::string& order)
      : name_(std::move(name)), seconds_(seconds), every_(disturbed_every), order_(&order) {}
  Candidate candidate() {
    return {name_, [this](std::int64_t calls) -> Result<Block> {
              *order_ += name_;
              ++blocks_;
              const bool disturbed = every_ != 0 && blocks_ % every_ == 0;
              if (blocks_ > fails_after) return Failure{std::string("out of paper")};
              return Block{seconds_ * static_cast<double>(calls) * (disturbed ? 5 : 1), disturbed ? 1 : 0, 3 * calls};
            }};
  }
  std::size_t fails_after = 1'000'000;

 private:
  std::string name_;
  double seconds_;
  std::size_t every_, blocks_ = 0;
  std::string* order_;
};

}  // namespace

TEST_CASE("blocks have as many calls as their length asks for, and disturbed ones are marked") {
  std::string order;
  Fake quick("a", 1e-6, 4, order);
  Fake slow("b", 0.5, 0, order);
  const Candidate candidates[] = {quick.candidate(), slow.candidate()};
  const auto measured = measure_side_by_side(candidates, {.seconds = 0.1, .rounds = 11, .block_seconds = 0.002});
  REQUIRE(measured.size() == 2);
  CHECK(std::abs(measured[0].calls_per_block - 2000) <= 1);
  CHECK(measured[0].page_faults_per_call == 3);
  // 0.1 s of blocks of 2 ms, of which one in four takes 10 ms.
  CHECK(measured[0].samples.size() >= 25);
  const Summary summary = summarize(measured[0].samples);
  CHECK(summary.median == Approx(1e-6));
  CHECK(summary.disturbed >= 6);
  CHECK(measured[1].calls_per_block == 1);
  // Its calls take longer than the patience: three rounds, and no more.
  CHECK(measured[1].samples.size() == kFewestRounds);
  CHECK(summarize(measured[1].samples).median == 0.5);
}

TEST_CASE("rounds start at another candidate each time, and the first one stays to the end") {
  std::string order;
  Fake a("a", 0.01, 0, order);
  Fake b("b", 0.01, 0, order);
  Fake c("c", 0.001, 0, order);
  const Candidate candidates[] = {a.candidate(), b.candidate(), c.candidate()};
  const auto measured = measure_side_by_side(candidates, {.seconds = 0.02, .rounds = 4, .block_seconds = 0.001});
  // One call of each to calibrate; three rounds of all, four with b; then a goes on for c alone.
  CHECK(
      order.starts_with("abc"
                        "abc"
                        "bca"
                        "cab"
                        "abc"));
  CHECK(
      order.ends_with("ca"
                      "ac"
                      "ca"));
  CHECK(measured[1].samples.size() == 4);
  CHECK(measured[2].samples.size() == 20);
  CHECK(measured[0].samples.size() == 20);
}

TEST_CASE("a candidate that fails is out with its reason, and the others go on") {
  std::string order;
  Fake a("a", 0.01, 0, order);
  Fake b("b", 0.01, 0, order);
  b.fails_after = 3;
  const Candidate candidates[] = {a.candidate(), b.candidate()};
  const auto measured = measure_side_by_side(candidates, {.seconds = 0.05, .rounds = 6, .block_seconds = 0.01});
  CHECK(measured[0].failure.empty());
  CHECK(measured[0].samples.size() >= 6);
  CHECK(measured[1].failure == "out of paper");
  CHECK(measured[1].samples.size() == 2);
}

TEST_CASE("a block of calls in this process counts time, page faults and a first call that is not timed") {
  int calls = 0;
  const auto block = timed_block(5, [&]() -> Status<> {
    ++calls;
    return {};
  });
  REQUIRE(block.ok());
  CHECK(calls == 6);
  CHECK(block->seconds > 0);
  const auto failed = timed_block(2, [&]() -> Status<> { return Failure{std::string("no")}; });
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error() == "no");
}

}  // namespace mlgc::bench
