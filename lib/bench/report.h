// What a run of `mlgc bench` measured, and how it is written: text, JSON, a plot, advice.
//
// Guarantees
//   - Nothing is measured here: the same report gives the same bytes.
//   - Advice is derived from the numbers of the report, which it repeats; what the numbers do not show is not said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/compiled_call.h"
#include "bench/machine_limits.h"
#include "bench/measure.h"
#include "bench/statistics.h"

namespace mlgc::bench {

// Of making the compiled model from nothing: without the cache. Seconds.
struct CompileTimes {
  double import = 0, passes = 0, lowering = 0, emission = 0, host_compiler = 0, load = 0;
  [[nodiscard]] double total() const { return import + passes + lowering + emission + host_compiler + load; }
};

// One way to run the model, at one choice of sizes and threads.
struct BackendRow {
  std::string name, version;
  std::string reason;  // why it did not run; then there is nothing else
  double prepare = 0, first_call = 0;
  std::optional<Measured> measured;
  std::optional<Ratio> ratio;           // its time over the baseline's
  std::optional<BreakEven> break_even;  // of preparing the baseline instead
  std::optional<double> difference;     // of its results from the baseline's, the largest over the largest value
};

// Compiled in one of several ways: what a call takes beside time, which its row says.
struct CompiledUse {
  std::string name;
  CallUse use;
};

struct Configuration {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::int32_t threads = 1;
  MachineLimits limits;
  std::vector<BackendRow> rows;  // the baseline first
  std::vector<KernelTime> kernels;
  std::optional<double> warm_start;        // seconds
  std::vector<CompiledUse> uses;           // where the model was compiled in several ways
  double launch_seconds = 0;               // with them: of a launch that computes next to nothing
  [[nodiscard]] std::string text() const;  // `B = 8, 2 threads`
};

struct BenchReport {
  std::string model, function, numerics, version, host_compiler, cpu;
  std::uint32_t cores = 0;
  std::int32_t vector_bytes = 0;        // of the kernels that run, where the model was compiled
  std::optional<CompileTimes> compile;  // where the model was compiled
  std::vector<Configuration> configurations;
};

// How far a kernel is from what the machine can do.
struct KernelLimit {
  double seconds = 0;        // that it takes at least; 0: its bytes and FLOPs are not known
  bool by_bandwidth = true;  // else by arithmetic
};
[[nodiscard]] KernelLimit limit_of(const KernelTime& kernel, const MachineLimits& limits);

[[nodiscard]] std::vector<std::string> advice(const BenchReport& report);
[[nodiscard]] std::string report_text(const BenchReport& report);
[[nodiscard]] std::string report_json(const BenchReport& report);
// Time of a call over configurations, one line for each way to run, as SVG.
[[nodiscard]] std::string report_plot(const BenchReport& report);

// `1.23 ms`, `12.0 us`.
[[nodiscard]] std::string seconds_text(double seconds);
// With so many digits after the point.
[[nodiscard]] std::string decimal(double value, int digits);
// `after 120 calls`, `at once`.
[[nodiscard]] std::string break_even_text(const BreakEven& value);

}  // namespace mlgc::bench
