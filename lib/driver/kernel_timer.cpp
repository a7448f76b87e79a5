// See kernel_timer.h.
#include "driver/kernel_timer.h"

#include <charconv>

#include "bench/statistics.h"
#include "diag/kinds_driver.h"
#include "interp/function_results.h"
#include "loopir/module_machine.h"

namespace mlgc {

void add_timing_flags(Arguments& arguments, TimingFlags& flags) {
  arguments.add_list("--input", flags.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, or @file.npz for all; the others are random; repeatable");
  arguments.add_value("--seed", flags.seed, "N", "Of what is random: inputs (default: 1)");
  arguments.add_value("--threads", flags.threads, "N", "Threads that compute (default: 1)");
  arguments.add_value("--min-time", flags.min_time, "SECONDS",
                      "How long is timed: each version of the model (default: 0.5)");
  arguments.add_value("--host-compiler", flags.host_compiler, "COMMAND",
                      "The C++ compiler (default: CXX, g++ or clang++)");
}

std::optional<Diagnostic> read_min_time(const std::string& text, const std::string& command, double& seconds) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc{} && end == text.data() + text.size() && seconds > 0 && seconds <= kLongestTiming)
    return std::nullopt;
  return diagnose<kBadFlag>({}, "--min-time: `" + text + "` is no number of seconds from 0 to 3600", command);
}

std::optional<Diagnostic> read_timing_flags(TimingFlags& flags, const std::string& command) {
  if (flags.threads < 1 || flags.threads > static_cast<std::size_t>(kMostTimedThreads))
    return diagnose<kBadFlag>({}, "--threads: a number from 1 to 1024 is wanted", command);
  return read_min_time(flags.min_time, command, flags.seconds);
}

std::optional<TimedCall> bind_timed_call(const Module& module, const std::string& function, const TimingFlags& flags,
                                         DiagnosticEngine& diagnostics) {
  const FuncRef called = choose_function(module, function, diagnostics);
  if (!called.valid()) return std::nullopt;
  ArgumentFlags given;
  given.inputs = flags.inputs;
  given.dims = flags.sizes;
  given.random_seed = flags.seed;
  auto inputs = bind_arguments(called, given, diagnostics);
  if (!inputs) return std::nullopt;
  return TimedCall{std::string(called.name()), std::move(inputs->tensors)};
}

std::optional<KernelTimer> KernelTimer::make(Module scheduled, const ModuleData& data, const TimedCall& call,
                                             const EmitFlags& emit, const TimingFlags& flags,
                                             DiagnosticEngine& diagnostics) {
  const auto failed = [&](Diagnostic diagnostic) {
    diagnostics.emit(std::move(diagnostic));
    return std::nullopt;
  };
  CompileOptions options;
  options.host_compiler = flags.host_compiler;
  options.vector_bytes = emit.vectors.given
                             ? emit.vectors.bytes()
                             : static_cast<std::int32_t>(machine_of(scheduled, MachineKind::Cpu).cpu().vector_bytes);
  const auto emitted = plan_and_emit(scheduled, data, {emit.numerics, emit.emit}, diagnostics);
  if (!emitted) return std::nullopt;
  auto model = load_emitted(*emitted, options, diagnostics);
  if (!model) return failed(std::move(model).error());
  auto made = bench::CompiledCall::make(*model, call.function, call.inputs, static_cast<std::int32_t>(flags.threads));
  if (!made) return failed(std::move(made).error());
  return KernelTimer(*std::move(made));
}

bool KernelTimer::measure(double seconds, DiagnosticEngine& diagnostics) {
  const auto launches = call_.kernel_times(seconds);
  if (!launches) {
    diagnostics.emit(launches.error());
    return false;
  }
  std::map<std::string, double> round;
  for (const bench::KernelTime& launch : *launches) round[launch.name] += launch.seconds;
  for (const auto& [name, time] : round) rounds_[name].push_back(time);
  return true;
}

std::map<std::string, double> KernelTimer::kernel_seconds() const {
  std::map<std::string, double> out;
  for (const auto& [name, times] : rounds_) out[name] = bench::median(times);
  return out;
}

}  // namespace mlgc
