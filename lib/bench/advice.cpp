// What the numbers of a report suggest.
#include <algorithm>

#include "bench/report.h"
#include "support/byte_size.h"

namespace mlgc::bench {
namespace {

using Lines = std::vector<std::string>;

std::string percent(double part) { return decimal(100 * part, 0) + " %"; }

// A kernel that takes a good part of the time and is far from what the machine can do.
void about_kernels(const Configuration& configuration, Lines& lines) {
  constexpr double kMuch = 0.2, kNear = 0.7;
  constexpr double kShort = 2e-6;  // starting a kernel is a good part of less
  double total = 0;
  for (const KernelTime& kernel : configuration.kernels) total += kernel.seconds;
  for (const KernelTime& kernel : configuration.kernels) {
    const KernelLimit limit = limit_of(kernel, configuration.limits);
    if (kernel.seconds < std::max(kShort, kMuch * total) || limit.seconds <= 0 ||
        limit.seconds > kNear * kernel.seconds)
      continue;
    lines.push_back(configuration.text() + ": `" + kernel.name + "` takes " + percent(kernel.seconds / total) +
                    " of the kernels' time and " + decimal(kernel.seconds / limit.seconds, 1) + " times what " +
                    (limit.by_bandwidth ? "its bytes need" : "its arithmetic needs") +
                    "; `mlgc opt --to=loops` prints its loops");
  }
}

// A kernel that is faster than its limit says that the limit is wrong: its bytes stay nearer than those of arrays of
// its size do, or it moves fewer than are counted; arithmetic that the counted operations do not need in full.
void about_limits(const Configuration& configuration, Lines& lines) {
  constexpr double kSurely = 1.05;  // policy of the report: beyond the spread of both measurements
  for (const KernelTime& kernel : configuration.kernels) {
    const KernelLimit limit = limit_of(kernel, configuration.limits);
    if (kernel.seconds <= 0 || limit.seconds < kSurely * kernel.seconds) continue;
    std::string wrong;
    if (limit.by_bandwidth) {
      const Bandwidth& measured = configuration.limits.near(kernel.bytes);
      wrong = "bandwidth, " + decimal(std::max(measured.copy, measured.triad) / 1e9, 0) +
              " GB/s as measured on arrays of " + byte_size_text(measured.bytes) +
              ", is too low for it, or it moves fewer bytes than are counted";
    } else {
      wrong = "arithmetic, " + decimal(configuration.limits.flops / 1e9, 0) +
              " GFLOP/s as measured, is too low for it, or it computes less than is counted";
    }
    lines.push_back(configuration.text() + ": `" + kernel.name + "` is at " + percent(limit.seconds / kernel.seconds) +
                    " of its limit: " + wrong);
  }
}

void about_calls(const Configuration& configuration, Lines& lines) {
  constexpr double kMuch = 0.25, kShort = 2e-6;
  const BackendRow& first = configuration.rows.front();
  if (configuration.kernels.empty() || !first.measured) return;
  double kernels = 0;
  for (const KernelTime& kernel : configuration.kernels) kernels += kernel.seconds;
  const double call = summarize(first.measured->samples).median;
  if (call - kernels > std::max(kShort, kMuch * call))
    lines.push_back(configuration.text() + ": " + percent((call - kernels) / call) + " of a call (" +
                    seconds_text(call - kernels) + ") pass outside of kernels: larger batches or fewer kernels help");
}

void about_page_faults(const Configuration& configuration, Lines& lines) {
  constexpr double kMuch = 0.1;
  for (const BackendRow& row : configuration.rows) {
    if (!row.measured) continue;
    const double call = summarize(row.measured->samples).median;
    const double faults = row.measured->page_faults_per_call * configuration.limits.page_fault_seconds;
    if (faults > kMuch * call)
      lines.push_back(configuration.text() + ": " + row.name + " touches " +
                      decimal(row.measured->page_faults_per_call, 0) + " fresh pages a call, about " +
                      percent(std::min(1.0, faults / call)) + " of its time: outputs that are kept cost nothing");
  }
}

void about_peers(const Configuration& configuration, Lines& lines) {
  for (const BackendRow& row : configuration.rows)
    if (row.ratio && row.ratio->interval.high < 1)
      lines.push_back(configuration.text() + ": " + row.name + " takes " + decimal(row.ratio->median, 2) +
                      " of the time of " + configuration.rows.front().name);
}

void about_differences(const Configuration& configuration, Lines& lines) {
  constexpr double kLarge = 1e-3;
  for (const BackendRow& row : configuration.rows)
    if (row.difference && !(*row.difference <= kLarge))
      lines.push_back(configuration.text() + ": the results of " + row.name + " and " +
                      configuration.rows.front().name +
                      " differ; `mlgc eval --compare` says where, and its time means nothing until then");
}

void about_disturbance(const Configuration& configuration, Lines& lines) {
  constexpr double kMany = 0.3;
  std::size_t disturbed = 0, all = 0;
  for (const BackendRow& row : configuration.rows) {
    if (!row.measured) continue;
    disturbed += summarize(row.measured->samples).disturbed;
    all += row.measured->samples.size();
  }
  if (static_cast<double>(disturbed) > kMany * static_cast<double>(all))
    lines.push_back(configuration.text() + ": the system took a core away during " + std::to_string(disturbed) +
                    " of " + std::to_string(all) + " blocks; docs/benchmarking.md says how to keep one's cores");
}

// More threads that make nothing faster.
void about_threads(const BenchReport& report, Lines& lines) {
  constexpr double kGain = 0.95;
  for (const Configuration& more : report.configurations)
    for (const Configuration& fewer : report.configurations) {
      if (more.sizes != fewer.sizes || fewer.threads >= more.threads) continue;
      const BackendRow& a = more.rows.front();
      const BackendRow& b = fewer.rows.front();
      if (!a.measured || !b.measured) continue;
      const double with_more = summarize(a.measured->samples).median,
                   with_fewer = summarize(b.measured->samples).median;
      if (with_more > kGain * with_fewer)
        lines.push_back(more.text() + ": " + seconds_text(with_more) + " where " + std::to_string(fewer.threads) +
                        (fewer.threads == 1 ? " thread takes " : " threads take ") + seconds_text(with_fewer));
    }
}

}  // namespace

Lines advice(const BenchReport& report) {
  Lines lines;
  for (const Configuration& configuration : report.configurations) {
    if (configuration.rows.empty()) continue;
    about_differences(configuration, lines);
    about_peers(configuration, lines);
    about_kernels(configuration, lines);
    about_limits(configuration, lines);
    about_calls(configuration, lines);
    about_page_faults(configuration, lines);
    about_disturbance(configuration, lines);
  }
  about_threads(report, lines);
  return lines;
}

}  // namespace mlgc::bench
