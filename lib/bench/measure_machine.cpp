// See measure_machine.h.
#include "bench/measure_machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "bench/machine_limits.h"

namespace mlgc::bench {
namespace {

// Three digits say enough, and make two measurements comparable by eye.
double rounded(double value) {
  if (value <= 0) return value;
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

// Keeps the base's number where a value is out of the field's bounds: what the system does not know is 0.
void set(Machine& machine, std::string_view field, double value) {
  (void)find_machine_field(MachineKind::Cpu, field)->set(machine, value);
}

double usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                     : static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

Result<Machine, Diagnostic> measure_machine(const Machine& base, const std::string& host_compiler,
                                            DiagnosticEngine& diagnostics) {
  Result<LimitProbe, Diagnostic> probe = LimitProbe::make(host_compiler, diagnostics);
  if (!probe) return Failure{std::move(probe).error()};
  Machine machine = base;
  machine.name = "measured";
  machine.summary = "A computer as it was measured; ports, registers and latencies are those of " + base.name + ".";
  set(machine, "cores", usable_cores());
  set(machine, "line_bytes", static_cast<double>(sysconf(_SC_LEVEL1_DCACHE_LINESIZE)));
  const std::int64_t stride = machine.cpu().l1_stride();
  set(machine, "l1_bytes", static_cast<double>(sysconf(_SC_LEVEL1_DCACHE_SIZE)));
  // A system that does not know the ways leaves lines meeting where those of the base do.
  const long ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
  set(machine, "l1_ways", static_cast<double>(ways > 0 ? ways : machine.cpu().l1_bytes / stride));
  set(machine, "l2_bytes", static_cast<double>(sysconf(_SC_LEVEL2_CACHE_SIZE)));
  set(machine, "l3_bytes", static_cast<double>(sysconf(_SC_LEVEL3_CACHE_SIZE)));
  const MachineLimits one = probe->measure(1);
  const CpuMachine& cpu = machine.cpu();
  const auto rate = [](const Bandwidth& at) { return rounded(std::max(at.copy, at.triad) / 1e9); };
  set(machine, "l2_gbs", rate(one.near(cpu.l2_bytes / 2)));
  set(machine, "l3_gbs", rate(one.near(std::max(cpu.l3_bytes / 4, 2 * cpu.l2_bytes))));
  set(machine, "memory_gbs", rate(one.bandwidth.back()));
  const MachineLimits all = probe->measure(static_cast<std::int32_t>(std::min<std::int64_t>(cpu.cores, 1024)));
  set(machine, "all_memory_gbs", rate(all.bandwidth.back()));
  // A multiply-add of a vector of f32 is two operations a lane.
  const double lanes = static_cast<double>(cpu.vector_bytes) / 4;
  set(machine, "clock_ghz", rounded(one.flops / (2 * lanes * static_cast<double>(cpu.fma_ports)) / 1e9));
  return machine;
}

}  // namespace mlgc::bench
