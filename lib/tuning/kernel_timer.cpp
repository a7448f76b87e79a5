// See kernel_timer.h.
#include "tuning/kernel_timer.h"

#include "bench/statistics.h"
#include "compile/compile_model.h"
#include "execution/lower_and_emit.h"
#include "interp/function_results.h"
#include "loopir/module_machine.h"
#include "transforms/levels.h"

namespace mlgc {

std::optional<TimedCall> bind_timed_call(const Module& module, const std::string& function,
                                         const ArgumentOptions& arguments, DiagnosticEngine& diagnostics) {
  const FuncRef called = choose_function(module, function, diagnostics);
  if (!called.valid()) return std::nullopt;
  auto inputs = bind_arguments(called, arguments, diagnostics);
  if (!inputs) return std::nullopt;
  return TimedCall{std::string(called.name()), std::move(inputs->tensors)};
}

std::optional<KernelTimer> KernelTimer::make(Module scheduled, const ModuleData& data, const TimedCall& call,
                                             const TimingOptions& timing, DiagnosticEngine& diagnostics) {
  const auto failed = [&](Diagnostic diagnostic) {
    diagnostics.emit(std::move(diagnostic));
    return std::nullopt;
  };
  CompileOptions options;
  options.compiler = timing.host_compiler;
  options.vector_bytes = timing.vector_bytes.value_or(
      static_cast<std::int32_t>(machine_of(scheduled, MachineKind::Cpu).cpu().vector_bytes));
  const auto emitted = plan_and_emit(scheduled, data, {timing.numerics, timing.emit}, diagnostics);
  if (!emitted) return std::nullopt;
  auto model = load_emitted(*emitted, options, diagnostics);
  if (!model) return failed(std::move(model).error());
  auto made = bench::CompiledCall::make(*model, call.function, call.inputs, static_cast<std::int32_t>(timing.threads));
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

std::optional<std::map<std::string, double>> measure_kernels(Module unscheduled, const std::string& decisions,
                                                             const ModuleData& data, const TimedCall& call,
                                                             const TimingOptions& timing, double seconds,
                                                             DiagnosticEngine& diagnostics) {
  if (!schedule_loops(unscheduled, timing.numerics, decisions, diagnostics)) return std::nullopt;
  auto timer = KernelTimer::make(std::move(unscheduled), data, call, timing, diagnostics);
  if (!timer || !timer->measure(seconds, diagnostics)) return std::nullopt;
  return timer->kernel_seconds();
}

}  // namespace mlgc
