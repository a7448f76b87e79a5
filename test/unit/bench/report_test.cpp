// Reports of made-up measurements.
#include "bench/report.h"

#include <algorithm>

#include "bench/configuration.h"
#include "support_catch.h"

namespace mlgc::bench {
namespace {

BackendRow row(std::string name, double seconds, double prepare, double faults = 0) {
  BackendRow row;
  row.name = std::move(name);
  row.version = "1";
  row.prepare = prepare;
  row.first_call = 2 * seconds;
  row.measured.emplace();
  row.measured->samples.assign(9, {seconds, false});
  row.measured->page_faults_per_call = faults;
  return row;
}

MachineLimits limits() {
  MachineLimits limits;
  limits.bandwidth = {{1 << 20, 100e9, 90e9}, {1 << 28, 40e9, 50e9}};
  limits.flops = 1e12;
  limits.page_fault_seconds = 1e-6;
  return limits;
}

Configuration configuration(std::int32_t threads, double seconds) {
  Configuration made;
  made.sizes = {{"B", 8}};
  made.threads = threads;
  made.limits = limits();
  made.rows = {row("cpp", seconds, 1.0), row("eager", 4 * seconds, 0.0, 100)};
  made.rows[1].ratio = ratio(made.rows[1].measured->samples, made.rows[0].measured->samples);
  made.rows[1].break_even = break_even({1.0, seconds}, {0.0, 4 * seconds});
  made.rows[1].difference = 1e-7;
  BackendRow refused;
  refused.name = "inductor";
  refused.reason = "ImportError: <none> & \"no\"";
  made.rows.push_back(refused);
  made.kernels = {{"f", "big", 0, 0.75 * seconds, 1 << 20, 1000}, {"f", "small", 1, 0.2 * seconds, -1, -1}};
  return made;
}

BenchReport report() {
  BenchReport report;
  report.model = "m.pt2";
  report.function = "f";
  report.version = "0";
  report.configurations = {configuration(1, 100e-6), configuration(2, 99e-6)};
  return report;
}

bool has(const std::vector<std::string>& lines, const std::string& wanted) {
  INFO(wanted);
  for (const std::string& line : lines) UNSCOPED_INFO(line);
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(wanted) != std::string::npos; });
}

}  // namespace

TEST_CASE("times are shown with three digits in a unit that fits") {
  CHECK(seconds_text(1.234e-7) == "123 ns");
  CHECK(seconds_text(9.994e-6) == "9.99 us");
  CHECK(seconds_text(9.996e-6) == "10.0 us");
  CHECK(seconds_text(0.9999e-3) == "1.00 ms");
  CHECK(seconds_text(12.3) == "12.3 s");
}

TEST_CASE("a kernel is held against the bandwidth at its size, or arithmetic where that takes longer") {
  const KernelLimit small = limit_of({"f", "k", 0, 1, 1 << 20, -1}, limits());
  CHECK(small.by_bandwidth);
  CHECK(small.seconds == Approx(1048576 / 100e9));
  // Nearest by ratio: 2^26 is nearer to 2^28 than to 2^20; the faster of copy and triad counts.
  CHECK(limit_of({"f", "k", 0, 1, 1 << 26, 0}, limits()).seconds == Approx((1 << 26) / 50e9));
  const KernelLimit heavy = limit_of({"f", "k", 0, 1, 1 << 20, 1'000'000'000}, limits());
  CHECK_FALSE(heavy.by_bandwidth);
  CHECK(heavy.seconds == Approx(1e-3));
  CHECK(limit_of({"f", "k", 0, 1, -1, -1}, limits()).seconds == 0);
}

TEST_CASE("advice says what the numbers show, and nothing else") {
  const std::vector<std::string> lines = advice(report());
  CHECK(has(lines, "B = 8, 1 thread: `big` takes 79 % of the kernels' time and 7.2 times what its bytes need"));
  CHECK(has(lines, "B = 8, 1 thread: eager touches 100 fresh pages a call, about 25 % of its time"));
  CHECK(has(lines, "B = 8, 2 threads: 99.0 us where 1 thread takes 100 us"));
  CHECK(lines.size() == 5);  // the first two for both numbers of threads

  BenchReport other = report();
  other.configurations.resize(1);
  Configuration& one = other.configurations[0];
  one.rows[1] = row("eager", 50e-6, 0.0);
  one.rows[1].ratio = ratio(one.rows[1].measured->samples, one.rows[0].measured->samples);
  one.rows[1].difference = 0.5;
  one.kernels = {{"f", "big", 0, 12e-6, 1 << 20, -1}};
  for (std::size_t i = 0; i < 4; ++i) one.rows[0].measured->samples[i].disturbed = true;
  for (std::size_t i = 0; i < 3; ++i) one.rows[1].measured->samples[i].disturbed = true;
  const std::vector<std::string> worse = advice(other);
  CHECK(has(worse, "the results of eager and cpp differ"));
  CHECK(has(worse, "eager takes 0.50 of the time of cpp"));
  CHECK(has(worse, "88 % of a call (88.0 us) pass outside of kernels"));
  CHECK(has(worse, "the system took a core away during 7 of 18 blocks"));
  CHECK(worse.size() == 4);
}

TEST_CASE("a share above the limit names what is wrong with the limit") {
  BenchReport other = report();
  other.configurations.resize(1);
  other.configurations[0].kernels = {{"f", "fast", 0, 90e-6, 20 << 20, 0}, {"f", "counted", 1, 1e-6, 8, 2'000'000}};
  const std::vector<std::string> lines = advice(other);
  CHECK(has(lines,
            "B = 8, 1 thread: `fast` is at 466 % of its limit: bandwidth, 50 GB/s as measured on arrays of 256 MiB"));
  CHECK(has(lines, "`counted` is at 200 % of its limit: arithmetic, 1000 GFLOP/s as measured, is too low for it"));
}

TEST_CASE("when compiling pays off is a number of calls that one can count, or the time that they take") {
  CHECK(break_even_text({Payoff::Always, 0, 0}) == "at once");
  CHECK(break_even_text({Payoff::Never, 0, 0}) == "never");
  CHECK(break_even_text({Payoff::FromCall, 1, 0.1}) == "after 1 call");
  CHECK(break_even_text({Payoff::FromCall, 999, 0.1}) == "after 999 calls");
  CHECK(break_even_text({Payoff::FromCall, 1000, 0.1}) == "after 100 ms of calls");
  CHECK(break_even_text({Payoff::FromCall, 2'000'000, 60}) == "after 1 minute of calls");
  CHECK(break_even_text({Payoff::FromCall, 2'000'000, 10'800}) == "after 3 hours of calls");
  CHECK(break_even_text({Payoff::UntilCall, 2'000'000, 4 * 86'400.0}) == "for 4 days of calls");
  CHECK(break_even_text({Payoff::FromCall, 2'000'000, 1e9}) == "after 32 years of calls");
}

TEST_CASE("reports show every row, refused ones with their reason") {
  const std::string text = report_text(report());
  CHECK_THAT(text, Catch::Matchers::Contains("after 1.33 s of calls"));
  CHECK_THAT(text, Catch::Matchers::Contains("  inductor: ImportError: <none> & \"no\"\n"));
  const std::string json = report_json(report());
  CHECK_THAT(json, Catch::Matchers::Contains("\"reason\": \"ImportError: <none> & \\\"no\\\"\""));
  CHECK_THAT(json, Catch::Matchers::Contains("\"pays_off\": \"from-call\""));
  const std::string plot = report_plot(report());
  CHECK_THAT(plot, Catch::Matchers::Contains(">cpp</text>"));
  CHECK_THAT(plot, Catch::Matchers::Contains(">B = 8, 2 threads</text>"));
  // Two ways to run, two configurations: two lines with two marks each.
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = plot.find(what); at != std::string::npos; at = plot.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(count("<path") == 2);
  CHECK(count("<circle") == 4);
  CHECK(plot.find("inductor") == std::string::npos);
}

TEST_CASE("the difference of results is relative to the largest value, and sees what is not finite") {
  const auto tensor = [](std::initializer_list<float> values) {
    return Tensor::from_values<float>({static_cast<std::int64_t>(values.size())}, values);
  };
  const auto difference = [](const Tensor& a, const Tensor& b) {
    return largest_difference(std::span(&a, 1), std::span(&b, 1));
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  CHECK(*difference(tensor({1, -10, 3}), tensor({1, -8, 3})) == 0.25);
  CHECK(*difference(tensor({nan, infinity, 2}), tensor({nan, infinity, 2})) == 0);
  CHECK(std::isinf(*difference(tensor({nan, 2}), tensor({1, 2}))));
  CHECK(std::isinf(*difference(tensor({1, 2}), tensor({infinity, 2}))));
  CHECK(*difference(tensor({1e-20F}), tensor({0})) == Approx(1e-20));
  CHECK_FALSE(difference(tensor({1, 2}), tensor({1})).has_value());
  const auto complex = [](std::initializer_list<float> parts) {
    return Tensor::from_values<float>({static_cast<std::int64_t>(parts.size() / 2), 2}, parts).as_complex();
  };
  CHECK(*difference(complex({1, -8, 3, 2}), complex({1, -8, 3, 4})) == 0.25);
  CHECK_FALSE(difference(complex({1, 2}), tensor({1})).has_value());
  CHECK_FALSE(largest_difference({}, std::vector{tensor({1})}).has_value());
}

}  // namespace mlgc::bench
