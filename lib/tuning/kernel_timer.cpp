// See kernel_timer.h.
#include "tuning/kernel_timer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/statistics.h"
#include "compile/compile_model.h"
#include "diag/kinds_artifact.h"
#include "execution/lower_and_emit.h"
#include "interp/function_results.h"
#include "loopir/module_machine.h"
#include "support/activity.h"
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

namespace {

// Of a module whose loops have their schedule. Nothing when an error was reported.
std::optional<EmittedModel> emit_scheduled(Module& scheduled, const ModuleData& data, const TimingOptions& timing,
                                           DiagnosticEngine& diagnostics) {
  if (timing.emit.target->kind() == MachineKind::Cpu)
    return plan_and_emit(scheduled, data, {timing.numerics, timing.emit, {}}, diagnostics);
  return emit_lowered(scheduled, data, timing.emit, diagnostics);
}

// Has the compiler make all models, as many at a time as there are cores, so that the cache has them. False: an error
// was reported.
bool compile_ahead(const std::vector<EmittedModel>& models, const CompileOptions& options,
                   DiagnosticEngine& diagnostics) {
  Activity compiling("compiling versions");
  compiling.does(models.size(), "version");
  std::vector<std::vector<Diagnostic>> said(models.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < models.size(); i = next++) {
      compiling.next();
      DiagnosticEngine own(diagnostics.locations());
      if (auto unit = compile_emitted(models[i], options, own); !unit) own.emit(std::move(unit).error());
      said[i] = own.sorted();
    }
  };
  {
    std::vector<std::jthread> threads(
        std::min<std::size_t>(models.size(), std::max(1U, std::thread::hardware_concurrency())));
    for (std::jthread& thread : threads) thread = std::jthread(work);
  }
  bool good = true;
  for (const std::vector<Diagnostic>& list : said)
    for (const Diagnostic& diagnostic : list) {
      good = good && diagnostic.kind->severity != Severity::Error;
      diagnostics.emit(diagnostic);
    }
  return good;
}

}  // namespace

std::optional<std::vector<KernelTimer>> KernelTimer::make(std::vector<Module> scheduled, const ModuleData& data,
                                                          const TimedCall& call, const TimingOptions& timing,
                                                          DiagnosticEngine& diagnostics) {
  const auto failed = [&](Diagnostic diagnostic) {
    diagnostics.emit(std::move(diagnostic));
    return std::nullopt;
  };
  if (scheduled.empty()) return std::vector<KernelTimer>();
  CompileOptions options;
  options.compiler = timing.host_compiler;
  options.device = timing.device;
  if (timing.emit.target->kind() == MachineKind::Cpu)
    options.vector_bytes = timing.vector_bytes.value_or(
        static_cast<std::int32_t>(machine_of(scheduled.front(), MachineKind::Cpu).cpu().vector_bytes));
  std::vector<EmittedModel> emitted;
  for (Module& module : scheduled) {
    auto one = emit_scheduled(module, data, timing, diagnostics);
    if (!one) return std::nullopt;
    emitted.push_back(*std::move(one));
  }
  if (!compile_ahead(emitted, options, diagnostics)) return std::nullopt;
  std::vector<KernelTimer> out;
  for (const EmittedModel& one : emitted) {
    auto model = load_emitted(one, options, diagnostics);
    if (!model) return failed(std::move(model).error());
    auto made =
        bench::CompiledCall::make(*model, call.function, call.inputs, static_cast<std::int32_t>(timing.threads));
    if (!made) return failed(std::move(made).error());
    out.push_back(KernelTimer(*std::move(made), timing.emit.target->kind() == MachineKind::Gpu));
  }
  return out;
}

bool KernelTimer::measure(double seconds, DiagnosticEngine& diagnostics) {
  const auto launches = call_.kernel_times(seconds);
  if (!launches) {
    diagnostics.emit(launches.error());
    return false;
  }
  std::map<std::string, double> round;
  for (const bench::KernelTime& launch : *launches) round[launch.name] += launch.seconds;
  if (on_gpu_ && launches->size() == 1) {
    const auto alone = call_seconds(seconds, diagnostics);
    if (!alone) return false;
    round.begin()->second = *alone;
  }
  for (const auto& [name, time] : round) rounds_[name].push_back(time);
  return true;
}

std::optional<double> KernelTimer::call_seconds(double seconds, DiagnosticEngine& diagnostics) {
  const auto run = [&](std::size_t calls) -> std::optional<double> {
    const auto start = std::chrono::steady_clock::now();
    Status<> called;
    for (std::size_t i = 0; i < calls && called; ++i) called = call_.call();
    if (called) called = call_.finish();
    if (called) return bench::seconds_since(start);
    diagnostics.emit(diagnose<kRunRefused>({}, called.error()));
    return std::nullopt;
  };
  // The first calls make graphs.
  for (std::size_t calls = 2;; calls *= 2) {
    const auto taken = run(calls);
    if (!taken || *taken >= seconds / 2) return taken ? std::optional(*taken / static_cast<double>(calls)) : taken;
  }
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
  if (!schedule_loops(*timing.emit.target, unscheduled, timing.numerics, decisions, diagnostics)) return std::nullopt;
  std::vector<Module> scheduled;
  scheduled.push_back(std::move(unscheduled));
  auto timers = KernelTimer::make(std::move(scheduled), data, call, timing, diagnostics);
  if (!timers || !timers->front().measure(seconds, diagnostics)) return std::nullopt;
  return timers->front().kernel_seconds();
}

}  // namespace mlgc
