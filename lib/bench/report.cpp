// The report as text.
#include "bench/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "support/byte_size.h"

namespace mlgc::bench {
namespace {

// Columns of text: the first one to the left, the others to the right, the last one as it is.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      if (i + 1 < rows.front().size()) widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] > row[i].size() ? widths[i] - row[i].size() : 0, ' ');
      line += "  ";
      line += i == 0 || i + 1 == rows.front().size() ? row[i] + space : space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string rate(double per_second) { return per_second > 0 ? decimal(per_second * 1e-9, 1) : "-"; }

std::string backend_table(const Configuration& configuration) {
  std::vector<std::vector<std::string>> rows{{"backend", "prepare", "first call", "median", "least", "ratio",
                                              "interval", "rounds", "disturbed", "faults", "difference", "pays off"}};
  std::string failures;
  for (const BackendRow& row : configuration.rows) {
    if (!row.measured) {
      failures += "  " + row.name + ": " + row.reason + "\n";
      continue;
    }
    const Summary summary = summarize(row.measured->samples);
    std::vector<std::string> cells{row.name, seconds_text(row.prepare), seconds_text(row.first_call),
                                   seconds_text(summary.median), seconds_text(summary.minimum)};
    cells.push_back(row.ratio ? decimal(row.ratio->median, 2) : "-");
    cells.push_back(row.ratio ? decimal(row.ratio->interval.low, 2) + ".." + decimal(row.ratio->interval.high, 2) : "");
    cells.push_back(std::to_string(row.measured->samples.size()));
    cells.push_back(std::to_string(summary.disturbed) + (summary.disturbed_used ? " used" : ""));
    cells.push_back(decimal(row.measured->page_faults_per_call, 0));
    std::array<char, 32> difference{};
    if (row.difference) std::snprintf(difference.data(), difference.size(), "%.1e", *row.difference);
    cells.emplace_back(row.difference ? difference.data() : "-");
    cells.push_back(row.break_even ? break_even_text(*row.break_even) : "");
    rows.push_back(std::move(cells));
  }
  return table(rows) + failures;
}

std::string kernel_table(const Configuration& configuration) {
  std::vector<std::vector<std::string>> rows{{"kernel", "time", "share", "GB/s", "GFLOP/s", "of limit", "limit"}};
  double total = 0;
  for (const KernelTime& kernel : configuration.kernels) total += kernel.seconds;
  for (const KernelTime& kernel : configuration.kernels) {
    const double seconds = std::max(kernel.seconds, 1e-9);
    const KernelLimit limit = limit_of(kernel, configuration.limits);
    rows.push_back({std::to_string(kernel.number) + " " + kernel.name, seconds_text(kernel.seconds),
                    decimal(100 * kernel.seconds / std::max(total, 1e-9), 0) + " %",
                    rate(static_cast<double>(kernel.bytes) / seconds),
                    rate(static_cast<double>(kernel.flops) / seconds),
                    limit.seconds > 0 ? decimal(100 * limit.seconds / seconds, 0) + " %" : "-",
                    limit.seconds > 0 ? (limit.by_bandwidth ? "bandwidth" : "arithmetic") : ""});
  }
  return table(rows);
}

// What each way to compile takes beside time, and what its launches cost if they compute nothing.
std::string use_table(const Configuration& configuration) {
  const double launch = configuration.launch_seconds;
  std::vector<std::vector<std::string>> rows{
      {"compiled", "temporaries", "launches", "each " + seconds_text(launch), "of the median"}};
  for (const CompiledUse& compiled : configuration.uses) {
    const double cost = launch * static_cast<double>(compiled.use.launches);
    const auto row = std::ranges::find(configuration.rows, compiled.name, &BackendRow::name);
    const bool measured = row != configuration.rows.end() && row->measured;
    rows.push_back({compiled.name, byte_size_text(compiled.use.temporaries), std::to_string(compiled.use.launches),
                    seconds_text(cost),
                    measured ? decimal(100 * cost / summarize(row->measured->samples).median, 0) + " %" : "-"});
  }
  return table(rows);
}

std::string limits_text(const MachineLimits& limits) {
  std::string text;
  if (limits.bandwidth.empty()) return text;
  for (const Bandwidth& bandwidth : limits.bandwidth) {
    const std::int64_t kib = bandwidth.bytes >> 10;
    text += (text.empty() ? "  machine: copy/triad GB/s " : ", ") + rate(bandwidth.copy) + "/" + rate(bandwidth.triad) +
            " at " + (kib < 1024 ? std::to_string(kib) + " KiB" : std::to_string(kib >> 10) + " MiB");
  }
  return text + "; reading memory " + rate(limits.read) + ", in pages of 4 KiB " + rate(limits.small_page_read) +
         "; multiply-adds " + rate(limits.flops) + " GFLOP/s; a fresh page " + seconds_text(limits.page_fault_seconds) +
         "\n";
}

}  // namespace

std::string decimal(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string seconds_text(double seconds) {
  const auto scaled = [&](double factor, const char* unit) {
    const double value = seconds * factor;
    return decimal(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + " " + unit;
  };
  if (seconds < 0.9995e-6) return scaled(1e9, "ns");
  if (seconds < 0.9995e-3) return scaled(1e6, "us");
  return seconds < 0.9995 ? scaled(1e3, "ms") : scaled(1, "s");
}

namespace {

// A number of calls that one can count, or the time that they take.
std::string calls_text(const BreakEven& value) {
  constexpr std::int64_t kCountable = 1000;
  if (value.calls < kCountable) return std::to_string(value.calls) + (value.calls == 1 ? " call" : " calls");
  struct Unit {
    double seconds;
    std::string_view one, many;
  };
  constexpr std::array kUnits{Unit{365 * 86400.0, "year", "years"}, Unit{86400, "day", "days"},
                              Unit{3600, "hour", "hours"}, Unit{60, "minute", "minutes"}};
  for (const Unit& unit : kUnits) {
    if (value.seconds < unit.seconds) continue;
    const std::string count = decimal(value.seconds / unit.seconds, 0);
    return count + " " + std::string(count == "1" ? unit.one : unit.many) + " of calls";
  }
  return seconds_text(value.seconds) + " of calls";
}

}  // namespace

std::string break_even_text(const BreakEven& value) {
  switch (value.payoff) {
    case Payoff::Always: return "at once";
    case Payoff::FromCall: return "after " + calls_text(value);
    case Payoff::UntilCall: return "for " + calls_text(value);
    case Payoff::Never: return "never";
  }
  return "";
}

std::string Configuration::text() const {
  std::string text;
  for (const auto& [name, size] : sizes) text += name + " = " + std::to_string(size) + ", ";
  return text + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

KernelLimit limit_of(const KernelTime& kernel, const MachineLimits& limits) {
  KernelLimit limit;
  if (kernel.bytes > 0 && !limits.bandwidth.empty()) {
    const Bandwidth& bandwidth = limits.near(kernel.bytes);
    limit.seconds = static_cast<double>(kernel.bytes) / std::max({bandwidth.copy, bandwidth.triad, 1.0});
  }
  if (kernel.flops > 0 && limits.flops > 0) {
    const double arithmetic = static_cast<double>(kernel.flops) / limits.flops;
    limit.by_bandwidth = limit.seconds >= arithmetic;
    limit.seconds = std::max(limit.seconds, arithmetic);
  }
  return limit;
}

std::string report_text(const BenchReport& report) {
  std::string text = report.model + ": @" + report.function + ", mlgc " + report.version + ", numerics " +
                     report.numerics + "; " + report.cpu + ", " + std::to_string(report.cores) + " cores\n";
  if (report.compile) {
    const CompileTimes& times = *report.compile;
    text += "compiled in " + seconds_text(times.total()) + " with " + report.host_compiler +
            (report.vector_bytes > 0 ? ", vectors of " + std::to_string(report.vector_bytes) + " bytes" : "") +
            ": import " + seconds_text(times.import) + ", passes " + seconds_text(times.passes) + ", lowering " +
            seconds_text(times.lowering) + ", emission " + seconds_text(times.emission) + ", host compiler " +
            seconds_text(times.host_compiler) + ", load " + seconds_text(times.load) + "\n";
  }
  for (const Configuration& configuration : report.configurations) {
    text += "\n" + configuration.text();
    if (configuration.warm_start) text += "; warm start to first result " + seconds_text(*configuration.warm_start);
    text += "\n" + limits_text(configuration.limits) + backend_table(configuration);
    if (!configuration.uses.empty()) text += use_table(configuration);
    if (!configuration.kernels.empty()) text += kernel_table(configuration);
  }
  const std::vector<std::string> lines = advice(report);
  if (!lines.empty()) text += "\nadvice\n";
  for (const std::string& line : lines) text += "  - " + line + "\n";
  return text;
}

}  // namespace mlgc::bench
