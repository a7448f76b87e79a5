// The report as JSON; docs/benchmarking.md has its fields. Times are seconds, rates are a second.
#include <nlohmann/json.hpp>

#include "bench/report.h"

namespace mlgc::bench {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string_view name_of(Payoff payoff) {
  switch (payoff) {
    case Payoff::Always: return "always";
    case Payoff::FromCall: return "from-call";
    case Payoff::UntilCall: return "until-call";
    case Payoff::Never: return "never";
  }
  return "";
}

OrderedJson to_json(const MachineLimits& limits) {
  OrderedJson bandwidth = OrderedJson::array();
  for (const Bandwidth& b : limits.bandwidth)
    bandwidth.push_back({{"bytes", b.bytes}, {"copy", b.copy}, {"triad", b.triad}});
  return {{"bandwidth", bandwidth},
          {"read", limits.read},
          {"small_page_read", limits.small_page_read},
          {"flops", limits.flops},
          {"page_fault", limits.page_fault_seconds}};
}

OrderedJson to_json(const BackendRow& row) {
  OrderedJson json{{"name", row.name}};
  if (!row.measured) {
    json["reason"] = row.reason;
    return json;
  }
  const Summary summary = summarize(row.measured->samples);
  json.update({{"version", row.version},
               {"prepare", row.prepare},
               {"first_call", row.first_call},
               {"median", summary.median},
               {"least", summary.minimum},
               {"rounds", row.measured->samples.size()},
               {"calls_per_round", row.measured->calls_per_block},
               {"disturbed", summary.disturbed},
               {"disturbed_used", summary.disturbed_used},
               {"page_faults", row.measured->page_faults_per_call}});
  if (row.ratio)
    json["ratio"] = {{"median", row.ratio->median},
                     {"low", row.ratio->interval.low},
                     {"high", row.ratio->interval.high},
                     {"coverage", row.ratio->interval.coverage},
                     {"rounds", row.ratio->rounds}};
  if (row.difference) json["difference"] = *row.difference;
  if (row.break_even)
    json["break_even"] = {{"pays_off", name_of(row.break_even->payoff)}, {"calls", row.break_even->calls}};
  return json;
}

OrderedJson to_json(const KernelTime& kernel, const MachineLimits& limits) {
  OrderedJson json{
      {"number", kernel.number}, {"name", kernel.name}, {"function", kernel.function}, {"time", kernel.seconds}};
  if (kernel.bytes >= 0) json["bytes"] = kernel.bytes;
  if (kernel.flops >= 0) json["flops"] = kernel.flops;
  const KernelLimit limit = limit_of(kernel, limits);
  if (limit.seconds > 0) {
    json["limit"] = limit.seconds;
    json["limited_by"] = limit.by_bandwidth ? "bandwidth" : "arithmetic";
  }
  return json;
}

}  // namespace

std::string report_json(const BenchReport& report) {
  OrderedJson json{{"model", report.model},       {"function", report.function}, {"mlgc", report.version},
                   {"numerics", report.numerics}, {"cpu", report.cpu},           {"cores", report.cores}};
  if (report.compile) {
    const CompileTimes& times = *report.compile;
    json["compile"] = {{"host_compiler_name", report.host_compiler},
                       {"vector_bytes", report.vector_bytes},
                       {"import", times.import},
                       {"passes", times.passes},
                       {"lowering", times.lowering},
                       {"emission", times.emission},
                       {"host_compiler", times.host_compiler},
                       {"load", times.load},
                       {"total", times.total()}};
  }
  json["configurations"] = OrderedJson::array();
  for (const Configuration& configuration : report.configurations) {
    OrderedJson sizes = OrderedJson::object();
    for (const auto& [name, size] : configuration.sizes) sizes[name] = size;
    OrderedJson one{{"sizes", sizes}, {"threads", configuration.threads}, {"limits", to_json(configuration.limits)}};
    if (configuration.warm_start) one["warm_start"] = *configuration.warm_start;
    one["backends"] = OrderedJson::array();
    for (const BackendRow& row : configuration.rows) one["backends"].push_back(to_json(row));
    one["kernels"] = OrderedJson::array();
    for (const KernelTime& kernel : configuration.kernels)
      one["kernels"].push_back(to_json(kernel, configuration.limits));
    if (!configuration.uses.empty()) {
      one["empty_launch"] = configuration.launch_seconds;
      one["compiled"] = OrderedJson::array();
      for (const CompiledUse& compiled : configuration.uses)
        one["compiled"].push_back(
            {{"name", compiled.name}, {"temporaries", compiled.use.temporaries}, {"launches", compiled.use.launches}});
    }
    json["configurations"].push_back(std::move(one));
  }
  json["advice"] = advice(report);
  // Reasons may hold words of other programs in any encoding.
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace mlgc::bench
